/** The Containerfile runs this in the stage that builds, on the base of the image: it adds Node and the Debian packages to the npm packages. */
import { execFileSync } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { type Component, PACKAGES_LISTED, SBOM, type Sbom } from './listed.ts'

const FORMAT = '${db:Status-Abbrev}\t${Package}\t${Version}\t${Architecture}\n'

const listed = JSON.parse(await readFile(PACKAGES_LISTED, 'utf8')) as Sbom
const components = [...listed.components, node(), ...(await debianPackages())]
const known = new Set([...components, listed.metadata.component].map((component) => component['bom-ref']))
const dependencies = listed.dependencies
  .filter(({ ref }) => known.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => known.has(each)) }))
await writeFile(SBOM, `${JSON.stringify({ ...listed, components, dependencies }, null, 1)}\n`)
await rm(PACKAGES_LISTED)
console.log(`${SBOM} lists ${components.length} components`)

function node(): Component {
  const { node: version } = process.versions
  const purl = `pkg:generic/node@${version}`
  return { 'bom-ref': purl, type: 'platform', name: 'node', version, purl }
}

/** Empty if the base is not Debian: then the SBOM does not list its packages. */
async function debianPackages(): Promise<Component[]> {
  const release = await readFile('/etc/os-release', 'utf8')
  const value = (name: string): string => new RegExp(`^${name}="?([^"\n]*)`, 'm').exec(release)?.[1] ?? ''
  if (value('ID') !== 'debian') return []
  const lines = execFileSync('dpkg-query', ['--show', `--showformat=${FORMAT}`], { encoding: 'utf8' }).split('\n')
  return lines.flatMap((line) => {
    const [status = '', name = '', version = '', arch = ''] = line.split('\t')
    if (!status.startsWith('ii')) return []
    const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${arch}&distro=debian-${value('VERSION_ID')}`
    return [{ 'bom-ref': purl, type: 'library', name, version, purl }]
  })
}
