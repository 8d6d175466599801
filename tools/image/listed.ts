import path from 'node:path'

/** The list that `npm sbom` makes before the packages that only the built pages contain are removed. */
export const PACKAGES_LISTED = path.resolve(import.meta.dirname, '../../packages.cdx.json')

/** What the image ships: npm packages, Debian packages, and Node. */
export const SBOM = path.resolve(import.meta.dirname, '../../sbom.cdx.json')

export type Component = { 'bom-ref': string; type: string; name: string; version: string; purl: string }

/** The parts of CycloneDX 1.5 that are read here. */
export type Sbom = {
  metadata: { component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn?: string[] }[]
}
