import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestContext } from 'node:test'

/** A folder that is removed after the test. Root's PostgreSQL runs as another user, who may enter it. */
export async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'doorcode-test-'))
  await chmod(folder, 0o711)
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}
