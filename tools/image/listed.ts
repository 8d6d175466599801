import path from 'node:path'

/** What `npm sbom` lists before packages are left out whose code is in the built pages. */
export const PACKAGES_LISTED = path.resolve(import.meta.dirname, '../../packages.cdx.json')

/** What the image ships: packages of npm, packages of Debian, and Node. */
export const SBOM = path.resolve(import.meta.dirname, '../../sbom.cdx.json')

export type Component = { 'bom-ref': string; type: string; name: string; version: string; purl: string }

/** CycloneDX 1.5, as far as it is read here. */
export type Sbom = {
  metadata: { component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn?: string[] }[]
}
