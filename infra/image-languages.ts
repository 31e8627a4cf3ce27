/** What the image needs for programs of a language, as packages of Amazon Linux 2023. */
export interface ImageLanguage {
  readonly language: string
  readonly packages: readonly string[]
}

/** Node and npm are in the base image; git is for dependencies that are named by a repository. */
export const imageLanguages: readonly ImageLanguage[] = [
  { language: 'nodejs', packages: ['git', 'gzip', 'tar', 'unzip'] },
]

/** The build argument PACKAGES of the image. */
export const imagePackages = (languages: readonly ImageLanguage[]): string =>
  [...new Set(languages.flatMap(({ packages }) => packages))].toSorted().join(' ')
