import assert from 'node:assert/strict'
import { glob, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'

const component = z.looseObject({
  'bom-ref': z.string().min(1),
  type: z.enum(['application', 'framework', 'library', 'container', 'platform', 'operating-system', 'file', 'data']),
  name: z.string().min(1),
  version: z.string().min(1),
  purl: z.string().regex(/^pkg:(npm|deb|generic)\/[^@]+@[^@]+$/),
})

/** The parts of CycloneDX 1.5 that readers of an SBOM need. */
const sbom = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.literal('1.5'),
  serialNumber: z.string().regex(/^urn:uuid:[0-9a-f-]{36}$/),
  version: z.literal(1),
  metadata: z.looseObject({ timestamp: z.iso.datetime(), component }),
  components: z.array(component).min(1),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()).optional() })),
})

/** Checks the image's SBOM against the image, and copies it next to the image. Returns what it lists. */
export async function copySbom(root: string, file: string): Promise<string> {
  const text = await readFile(path.join(root, 'opt/doorcode/sbom.cdx.json'), 'utf8')
  const { components, metadata, dependencies } = sbom.parse(JSON.parse(text))
  const refs = new Set([...components, metadata.component].map((each) => each['bom-ref']))
  assert.equal(refs.size, components.length + 1, 'each component is listed once')
  for (const { ref, dependsOn = [] } of dependencies)
    for (const each of [ref, ...dependsOn])
      assert.ok(refs.has(each), `${each} is listed as a dependency but not as a component`)
  const listed = new Set(components.map(({ purl }) => decodeURIComponent(purl)))
  const shipped = [...(await npmPackages(root)), ...(await debianPackages(root))]
  for (const each of shipped)
    assert.ok(
      [...listed].some((purl) => purl === each || purl.startsWith(`${each}?`)),
      `${each} is not listed`,
    )
  await writeFile(file, text)
  const count = (kind: string): number => components.filter(({ purl }) => purl.startsWith(`pkg:${kind}/`)).length
  return `the SBOM lists ${count('npm')} npm packages, ${count('deb')} Debian packages and Node ${process.versions.node}, and misses no package of the image`
}

async function npmPackages(root: string): Promise<string[]> {
  const folder = path.join(root, 'opt/doorcode')
  const found: string[] = []
  for await (const name of glob('node_modules/**/package.json', { cwd: folder })) {
    if (!/(^|\/)node_modules\/(@[^/]+\/)?[^/@]+\/package\.json$/.test(name)) continue
    const { name: of, version } = JSON.parse(await readFile(path.join(folder, name), 'utf8')) as Record<string, string>
    if (of && version) found.push(`pkg:npm/${of}@${version}`)
  }
  return found
}

async function debianPackages(root: string): Promise<string[]> {
  const status = await readFile(path.join(root, 'var/lib/dpkg/status'), 'utf8').catch(() => '')
  return status.split('\n\n').flatMap((block) => {
    const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? ''
    return field('Status') === 'install ok installed' ? [`pkg:deb/debian/${field('Package')}@${field('Version')}`] : []
  })
}
