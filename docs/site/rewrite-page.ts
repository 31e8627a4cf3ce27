/**
 * Rewrites a page of the repository for the site. Links between pages lead to pages of the site,
 * and links to other files lead to the repository, or become code.
 */
import { posix } from 'node:path'

/** A page to rewrite, and the targets of its links. */
export interface PageContext {
  /** The path of the page in the repository. */
  readonly path: string
  /** The pages and images of the site by their path in the repository. */
  readonly sitePaths: ReadonlyMap<string, string>
  /** The address of a file in the repository without its path. Absent: no address is known. */
  readonly repositoryUrl?: string | undefined
}

/** Fenced blocks, code spans and comments: their text is not rewritten. */
const literalPattern =
  /^[ \t]*(`{3,})[\s\S]*?^[ \t]*\1|(`+)(?!`)[\s\S]*?(?<!`)\2(?!`)|<!--[\s\S]*?-->/gm
const linkPattern = /(!?)\[((?:[^\]\\]|\\.)*)\]\(([^)\s]+)\)/g

/** Returns the text of a page with rewritten links, and with HTML as text. */
export function rewritePage(text: string, context: PageContext): string {
  const literals: string[] = []
  const prose = text.replaceAll(literalPattern, literal => {
    literals.push(literal)
    return `\0${literals.length - 1}\0`
  })
  const rewritten = escapeMarkup(prose).replaceAll(
    linkPattern,
    (link, imageMark: string, label: string, target: string) =>
      rewriteLink({ link, imageMark, label, target }, context, literals),
  )
  return rewritten.replaceAll(/\0(\d+)\0/g, (_mark, index) => literals[Number(index)] ?? '')
}

/** Escapes tags other than line breaks, and the braces of templates. */
function escapeMarkup(prose: string): string {
  return prose.replaceAll(/<(?!br>|https?:)/g, '&lt;').replaceAll('{{', '&#123;&#123;')
}

/** A link or an image of a page. */
interface Link {
  /** The whole text in Markdown. */
  readonly link: string
  /** `!` before an image, empty before a link. */
  readonly imageMark: string
  readonly label: string
  readonly target: string
}

function rewriteLink(
  { link, imageMark, label, target }: Link,
  { path, sitePaths, repositoryUrl }: PageContext,
  literals: readonly string[],
): string {
  if (/^(?:[a-z]+:|#)/.test(target)) return link
  const [file = '', section] = target.split('#')
  const repositoryPath = posix.join(posix.dirname(path), file).replace(/\/$/, '')
  const anchor = section === undefined ? '' : `#${section}`
  const sitePath = sitePaths.get(repositoryPath)
  if (sitePath !== undefined) return `${imageMark}[${label}](/${sitePath}${anchor})`
  if (repositoryUrl !== undefined)
    return `${imageMark}[${label}](${repositoryUrl}/${repositoryPath}${anchor})`
  const labelText = label
    .replaceAll(/\0(\d+)\0/g, (_mark, index) => literals[Number(index)] ?? '')
    .replaceAll('`', '')
  const code = `\`${repositoryPath}\``
  return repositoryPath.endsWith(labelText) ? code : `${label} (${code})`
}
