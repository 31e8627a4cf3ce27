/** The packages and tools that programs of a language need in the image. */
export interface ImageLanguage {
  readonly language: string
  /** Packages of Amazon Linux 2023. */
  readonly packages: readonly string[]
  /** Commands that npm installs, with their versions. */
  readonly tools?: readonly string[]
}

/**
 * The languages of the image. Node and npm are in the base image. git fetches dependencies from
 * repositories. pnpm and yarn install the dependencies of programs that have their lock files. The
 * Dockerfile makes the named version of Python the command `python3`.
 */
export const imageLanguages: readonly ImageLanguage[] = [
  {
    language: 'nodejs',
    packages: ['git', 'gzip', 'tar', 'unzip'],
    tools: ['pnpm@10.34.8', 'yarn@1.22.22'],
  },
  { language: 'python', packages: ['git', 'python3.13', 'python3.13-pip'] },
]

/** Returns the build argument PACKAGES of the image. */
export const imagePackagesOf = (languages: readonly ImageLanguage[]): string =>
  [...new Set(languages.flatMap(({ packages }) => packages))].toSorted().join(' ')

/** Returns the build argument TOOLS of the image. */
export const imageToolsOf = (languages: readonly ImageLanguage[]): string =>
  languages.flatMap(({ tools = [] }) => tools).join(' ')
