import { error } from '../../shared/errors/error.ts'
import { pageGroups } from './page-groups.ts'

/** An entry of the navigation. */
interface NavigationLink {
  readonly text: string
  readonly link: string
}

/** The navigation of the site, in the format of the generator. */
export interface Navigation {
  readonly nav: readonly NavigationLink[]
  readonly sidebar: readonly {
    readonly text: string
    readonly collapsed: boolean
    readonly items: readonly NavigationLink[]
  }[]
}

/** The folders of pages that are a group of their own, with its title. */
const folderGroups = [
  ['tutorials', 'Tutorials'],
  ['reference', 'Generated reference'],
  ['spec', "Pulumi's behavior"],
  ['decisions', 'Decisions'],
] as const

const openGroups = ['Start', 'Tutorials', 'Operate']

/**
 * Creates the navigation from the titles of the pages by their path in the site. Throws
 * CLI_USAGE if a page has no group, or if a group names a page that does not exist.
 */
export function createNavigation(titles: ReadonlyMap<string, string>): Navigation {
  const folders = folderGroups.map(([folder, title]) => ({
    title,
    pages: [...titles.keys()]
      .filter(path => path.startsWith(`${folder}/`))
      .map(path => path.replace(/\.md$/, ''))
      .toSorted((a, b) => rankOf(a) - rankOf(b)),
  }))
  const [start, ...others] = pageGroups
  const groups = [...(start === undefined ? [] : [start]), ...folders.slice(0, 1), ...others]
  const all = [...groups, ...folders.slice(1)].filter(({ pages }) => pages.length > 0)
  requireSamePages(titles, new Set(all.flatMap(({ pages }) => pages.map(page => `${page}.md`))))
  const sidebar = all.map(({ title, pages }) => ({
    text: title,
    collapsed: !openGroups.includes(title),
    items: pages.map(page => ({
      text: page === 'index' ? 'Overview' : (titles.get(`${page}.md`) ?? page),
      link: `/${page.replace(/(^|\/)index$/, '$1')}`,
    })),
  }))
  return { nav: [], sidebar }
}

/** Sorts the page of a folder before the others. */
const rankOf = (page: string): number => (page.endsWith('/index') ? 0 : 1)

function requireSamePages(titles: ReadonlyMap<string, string>, grouped: ReadonlySet<string>): void {
  const ungrouped = [...titles.keys()].filter(path => !grouped.has(path))
  const missing = [...grouped].filter(path => !titles.has(path))
  if (ungrouped.length + missing.length === 0) return
  throw error(
    'CLI_USAGE',
    `docs/site/page-groups.ts differs from the pages: ${[...ungrouped, ...missing].join(', ')}`,
  )
}
