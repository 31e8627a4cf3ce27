/** Writes the pages of the site, rewritten from those of the repository, and its navigation. */
import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createNavigation } from './create-navigation.ts'
import { listPages } from './list-pages.ts'
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
  for (const [path, sitePath] of sitePaths) {
    const target = join(targetFolder, sitePath)
    mkdirSync(dirname(target), { recursive: true })
    if (images.has(path)) copyFileSync(join(repositoryFolder, path), target)
    else {
      const text = readFileSync(join(repositoryFolder, path), 'utf8')
      writeFileSync(target, rewritePage(text, { path, sitePaths, repositoryUrl }))
    }
  }
  // Pages become modules, which import the packages of the generator.
  symlinkSync(join(import.meta.dirname, 'node_modules'), join(targetFolder, 'node_modules'))
  const titles = new Map([...pages.values()].map(page => [page, readTitle(page)]))
  const navigation = createNavigation(titles)
  writeFileSync(join(targetFolder, 'navigation.json'), JSON.stringify(navigation, null, 2))
}

/** Returns the text of the first heading. */
function readTitle(sitePath: string): string {
  const [, title = sitePath] =
    /^# (.+)$/m.exec(readFileSync(join(targetFolder, sitePath), 'utf8')) ?? []
  return title.replaceAll('`', '')
}

writePages()
