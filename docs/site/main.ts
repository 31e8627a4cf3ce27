/** Writes the pages of the site, rewritten from those of the repository, and its navigation. */
import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createNavigation } from './create-navigation.ts'
import { listPages } from './list-pages.ts'
import { renderCommands } from './reference/render-commands.ts'
import { renderMessages } from './reference/render-messages.ts'
import { renderRoutes } from './reference/render-routes.ts'
import { renderSettings } from './reference/render-settings.ts'
import { rewritePage } from './rewrite-page.ts'

const repositoryFolder = resolve(import.meta.dirname, '../..')
const targetFolder = join(repositoryFolder, '.cache', 'docs-pages')

/** Returns the address of files in the repository, if package.json names the repository. */
function readRepositoryUrl(): string | undefined {
  const manifest = JSON.parse(readFileSync(join(repositoryFolder, 'package.json'), 'utf8')) as {
    readonly repository?: string | { readonly url: string }
  }
  const { repository } = manifest
  const url = typeof repository === 'string' ? repository : repository?.url
  if (url === undefined) return undefined
  return `${url.replace(/^git\+/, '').replace(/\.git$/, '')}/blob/main`
}

function writePages(): void {
  const { pages, images } = listPages(repositoryFolder)
  const repositoryUrl = readRepositoryUrl()
  const sitePaths = new Map([...pages, ...images])
  rmSync(targetFolder, { recursive: true, force: true })
  for (const [path, sitePath] of pages) {
    const text = readFileSync(join(repositoryFolder, path), 'utf8')
    writePage(sitePath, rewritePage(text, { path, sitePaths, repositoryUrl }))
  }
  for (const [path, sitePath] of images) {
    mkdirSync(dirname(join(targetFolder, sitePath)), { recursive: true })
    copyFileSync(join(repositoryFolder, path), join(targetFolder, sitePath))
  }
  const reference = renderReference()
  const allPaths = new Map([...sitePaths, ...[...reference.keys()].map(nameInDocs)])
  for (const [sitePath, text] of reference)
    writePage(sitePath, rewritePage(text, { path: `docs/${sitePath}`, sitePaths: allPaths }))
  // The generator turns pages into modules. Through this link they import its packages.
  symlinkSync(join(import.meta.dirname, 'node_modules'), join(targetFolder, 'node_modules'))
  const titles = new Map(
    [...pages.values(), ...reference.keys()].map(page => [page, readTitle(page)]),
  )
  const navigation = createNavigation(titles)
  writeFileSync(join(targetFolder, 'navigation.json'), JSON.stringify(navigation, null, 2))
}

/** Renders the pages that are generated from code, by their path in the site. */
function renderReference(): ReadonlyMap<string, string> {
  return new Map([
    ...renderCommands(),
    ['reference/routes.md', renderRoutes()],
    ['reference/settings.md', renderSettings()],
    ['reference/messages.md', renderMessages(repositoryFolder)],
  ])
}

/** Returns the path of a generated page as if it were in `docs`, and its path in the site. */
const nameInDocs = (sitePath: string): readonly [string, string] => [`docs/${sitePath}`, sitePath]

function writePage(sitePath: string, text: string): void {
  const target = join(targetFolder, sitePath)
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, text)
}

/** Returns the text of the first heading. */
function readTitle(sitePath: string): string {
  const [, title = sitePath] =
    /^# (.+)$/m.exec(readFileSync(join(targetFolder, sitePath), 'utf8')) ?? []
  return title.replaceAll('`', '')
}

writePages()
