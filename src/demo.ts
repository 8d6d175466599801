import type { Config } from './config.ts'

export async function startDemo(_config: Config): Promise<void> {}
