import { createError } from '../../shared/errors/error.ts'
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

/** The groups whose pages the sidebar shows at first. The others are collapsed. */
const expandedGroups = ['Start', 'Tutorials', 'Operate']

/**
 * Creates the navigation from the titles of the pages by their path in the site. Throws
 * CLI_USAGE if a group names a page that does not exist. A page without a group is in the group
 * `More`.
 */
export function createNavigation(titles: ReadonlyMap<string, string>): Navigation {
  const folders = folderGroups.map(([folder, title]) => ({
    title,
    pages: [...titles.keys()]
      .filter(path => path.startsWith(`${folder}/`))
      .map(path => path.replace(/\.md$/, ''))
      .toSorted((a, b) => rankOf(a) - rankOf(b)),
  }))
  // The first folder, the tutorials, comes after the group `Start`. The other folders come last.
  const [start, ...others] = pageGroups
  const groups = [...(start === undefined ? [] : [start]), ...folders.slice(0, 1), ...others]
  const allGroups = [...groups, ...folders.slice(1)].filter(({ pages }) => pages.length > 0)
  const groupedPages = new Set(allGroups.flatMap(({ pages }) => pages))
  requirePages(titles, groupedPages)
  const ungroupedPages = [...titles.keys()]
    .map(path => path.replace(/\.md$/, ''))
    .filter(page => !groupedPages.has(page))
  if (ungroupedPages.length > 0) allGroups.push({ title: 'More', pages: ungroupedPages })
  const sidebar = allGroups.map(({ title, pages }) => ({
    text: title,
    collapsed: !expandedGroups.includes(title),
    items: pages.map(page => ({
      text: page === 'index' ? 'Overview' : (titles.get(`${page}.md`) ?? page),
      link: `/${page.replace(/(^|\/)index$/, '$1')}`,
    })),
  }))
  return { nav: [], sidebar }
}

/** Returns the rank that sorts the page of a folder itself before the other pages in it. */
const rankOf = (page: string): number => (page.endsWith('/index') ? 0 : 1)

function requirePages(titles: ReadonlyMap<string, string>, grouped: ReadonlySet<string>): void {
  const missing = [...grouped].filter(page => !titles.has(`${page}.md`))
  if (missing.length === 0) return
  throw createError(
    'CLI_USAGE',
    `docs/site/page-groups.ts names missing pages: ${missing.join(', ')}`,
  )
}
