/** The pages of the site by group, in the order of the navigation. */

/** A group of pages in the navigation. */
export interface PageGroup {
  readonly title: string
  /** The names of the pages, without `.md`. */
  readonly pages: readonly string[]
}

/**
 * The groups of the navigation. A folder of pages is a group of its own, and needs no entry here.
 * A page without an entry is in the group `More`.
 */
export const pageGroups: readonly PageGroup[] = [
  { title: 'Start', pages: ['index', 'installing', 'tour', 'migrating', 'terraform', 'dashboard'] },
  {
    title: 'Operate',
    pages: [
      'operations',
      'limits',
      'backends',
      'pulumi-cli',
      'triggers',
      'approvals',
      'observability',
      'security',
    ],
  },
  { title: 'On AWS', pages: ['platform', 'aws', 'local-cloud', 'emulators'] },
  {
    title: 'Reference',
    pages: ['errors', 'api', 'commands', 'differences', 'provider-check', 'glossary', 'changelog'],
  },
  {
    title: 'Design',
    pages: ['architecture', 'reliability', 'transitions', 'retry-policy', 'benchmarks'],
  },
  {
    title: 'Evidence',
    pages: [
      'coverage-of-lifecycle',
      'coverage-of-terraform',
      'order-of-effects',
      'mutations',
      'contributing',
    ],
  },
]
