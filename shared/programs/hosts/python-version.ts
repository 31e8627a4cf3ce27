/**
 * Converts the version of a Python package to that of its plugin: `1.2b3` becomes `1.2.0-beta.3`.
 * Returns undefined for a version that does not match `versionPattern` (PEP 440).
 * Source: `determinePluginVersion` in sdk/python/cmd/pulumi-language-python/main.go of Pulumi
 * 3.260.0.
 */
export function toSemver(version: string): string | undefined {
  const parts = versionPattern.exec(version)?.groups
  if (parts === undefined) return undefined
  const numbers = (parts['numbers'] ?? '').split('.')
  while (numbers.length < 3) numbers.push('0')
  const { pre, post, dev } = parts
  const preRelease =
    pre === undefined ? '' : `-${preReleaseNames[pre] ?? ''}.${parts['preNumber'] ?? ''}`
  const buildMetadata = [
    ...(post === undefined ? [] : [`post${post}`]),
    ...(dev === undefined ? [] : [`dev${dev}`]),
  ].join('')
  return numbers.join('.') + preRelease + (buildMetadata === '' ? '' : `+${buildMetadata}`)
}

const versionPattern = new RegExp(
  [
    /^(?<numbers>\d+(?:\.\d+)*)/,
    /(?:(?<pre>a|b|rc)(?<preNumber>\d*))?/,
    /(?:\.post(?<post>\d*))?(?:\.dev(?<dev>\d*))?$/,
  ]
    .map(part => part.source)
    .join(''),
)

const preReleaseNames: Readonly<Record<string, string>> = { a: 'alpha', b: 'beta', rc: 'rc' }
