/**
 * The meaning of a line in a requirements file. `named`: an index or another host has the package,
 * or the line has options without an effect on local files. `mayBuild`: pip may build the package
 * although it is told to install wheels only. `setsIndex`: the line names another index, or a host
 * whose certificate pip does not check. `local`: any other line, because it may name files
 * whose contents the line does not show.
 */
export type RequirementLine =
  | {
      readonly kind: 'named'
      readonly hasHash: boolean
      readonly mayBuild: boolean
      readonly setsIndex: boolean
    }
  | { readonly kind: 'include'; readonly file: string; readonly isConstraint: boolean }
  | { readonly kind: 'editable' }
  | { readonly kind: 'local' }

/**
 * The inclusion of a file by its path. pip opens addresses, removes quotes and backslashes, and
 * replaces variables, so it may read another file than the one with the literal name.
 */
const includePattern =
  /^(?:(?:-(?<short>[rc])\s*)|(?:--(?<long>requirement|constraint)(?:\s+|=)))(?<file>[^\s"'\\$:]+)$/
const editablePattern = /^(?:-e|--ed)/

/** Any number of options that name no local file. pip accepts several of them in a line. */
const namedOptionsPattern = new RegExp(
  `^(?:(?:${[
    '--(?:pre|prefer-binary|require-hashes)',
    String.raw`--(?:hash|no-binary|only-binary|trusted-host)[ =][^\s"'\\$]+`,
    String.raw`(?:-i ?|--(?:extra-)?index-url[ =])https?://\S+`,
  ].join('|')})(?: |$))*$`,
)

/** The name of a package with its extras, such as `requests[socks]`. A slash would name a path. */
const packageName = String.raw`[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?\s*(?:\[[\w., -]*\])?\s*`
/** The end of a requirement: the condition on the environment after `;`, if there is one. */
const condition = String.raw`\s*(?:;.*)?$`
/** A package of an index, with its versions. */
const indexPattern = new RegExp(
  String.raw`^${packageName}(?:\(?[<>=!~][^;@/\\$]*\)?)?${condition}`,
  'i',
)
/** A package at an address. */
const addressPattern = new RegExp(
  String.raw`^(?:${packageName}@\s*)?(?:(?:git|hg|svn|bzr)\+)?(?:https?|ssh|git|s?ftp|svn)://\S+${condition}`,
  'i',
)
/** If a file with such a name exists, pip installs the file instead of a package of that name. */
const archivePattern =
  /^[^;]+\.(?:whl|zip|tar|tgz|tbz|txz|tlz|tar\.(?:gz|bz2|xz|lz|lzma))(?:\[|\s|;|$)/i

/** Classifies a line without its comment. Unknown forms are `local`. */
export function classifyRequirement(line: string): RequirementLine {
  const parts = line.split(/\s+/)
  const optionStart = parts.findIndex(part => part.startsWith('-'))
  const optionParts = optionStart < 0 ? [] : parts.slice(optionStart)
  const requirement = (optionStart < 0 ? parts : parts.slice(0, optionStart)).join(' ')
  if (optionParts.some(part => editablePattern.test(part))) return { kind: 'editable' }
  // Only spaces separate the options of a line. pip takes other white space for a part of a name.
  if (/[^\S ]/.test(line)) return { kind: 'local' }
  const included = includePattern.exec(line)?.groups
  if (included !== undefined) {
    const { short, long, file = '' } = included
    return { kind: 'include', file, isConstraint: short === 'c' || long === 'constraint' }
  }
  const isNamed =
    requirement === '' ||
    addressPattern.test(requirement) ||
    (indexPattern.test(requirement) && !archivePattern.test(requirement))
  if (!isNamed || !namedOptionsPattern.test(optionParts.join(' '))) return { kind: 'local' }
  return {
    kind: 'named',
    hasHash: optionParts.some(part => /^--(?:hash|require-hashes)/.test(part)),
    mayBuild: addressPattern.test(requirement) || /--no-binary|:none:/.test(optionParts.join(' ')),
    setsIndex: optionParts.some(part => /^(?:-i|--(?:extra-)?index-url|--trusted-host)/.test(part)),
  }
}

/**
 * Returns the lines of a requirements file, joined at backslashes and without comments. Like pip,
 * splits the text at all characters at which Python's `str.splitlines` splits it.
 */
export function listRequirementLines(text: string): readonly string[] {
  return text
    .split(/\r\n|[\n\r\v\f\u001c-\u001e\u0085\u2028\u2029]/)
    .map(line => line.replace(/(?:^|\s)#.*$/, ''))
    .join('\n')
    .replaceAll('\\\n', '')
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
}
