/** The platforms for which package.json names a package of Node. */
export const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-arm64']

/** What to do if this Node is too old to run Doorcode. Undefined if it is not. */
export function explainWrongNode({ version, platform, arch }) {
  if (Number(version.split('.')[0]) >= 26) return undefined
  const needed = `Doorcode needs Node 26, and this is Node ${version}.`
  const machine = `${platform}-${arch}`
  if (!PLATFORMS.includes(machine))
    return `${needed} "npm ci" installs Node 26 on Linux (x64 and arm64) and on macOS with Apple silicon, but not on ${machine}.\nUse one of these${platform === 'win32' ? ', such as Linux in WSL' : ''}, or install Node 26 yourself and set DATABASE_URL to your own PostgreSQL.`
  return (
    `${needed} "npm ci" installs it. Start Doorcode through npm ("npm start", "npm run -s doorcode -- …").\n` +
    'If you did, its package is missing: run "npm ci" again without --omit=optional.'
  )
}
