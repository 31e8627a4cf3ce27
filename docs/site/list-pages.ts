import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The pages outside of `docs`, with their path in the site. */
const outerPages = [
  ['README.md', 'index.md'],
  ['CONTRIBUTING.md', 'contributing.md'],
  ['CHANGELOG.md', 'changelog.md'],
] as const

/** The files of the site: their path in the repository, and in the site. */
export interface SiteFiles {
  readonly pages: ReadonlyMap<string, string>
  readonly images: ReadonlyMap<string, string>
}

/**
 * Lists the pages and images of the site. The `README.md` of a folder is the page of that folder.
 */
export function listPages(repositoryFolder: string): SiteFiles {
  const folder = join(repositoryFolder, 'docs')
  // The folder `site` contains no pages, but the generator and its many packages.
  const files = readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'site')
    .flatMap(entry => (entry.isDirectory() ? listFolder(folder, entry.name) : [entry.name]))
    .toSorted()
  const selectFiles = (pattern: RegExp): (readonly [string, string])[] =>
    files
      .filter(path => pattern.test(path))
      .map(path => [`docs/${path}`, path.replace(/README\.md$/, 'index.md')])
  return {
    pages: new Map([...outerPages, ...selectFiles(/\.md$/)]),
    images: new Map(selectFiles(/\.(svg|png)$/)),
  }
}

/** Lists the files of a folder in `docs`, with `/` as the separator of paths. */
function listFolder(folder: string, name: string): readonly string[] {
  return readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' }).map(
    path => `${name}/${path.replaceAll('\\', '/')}`,
  )
}
