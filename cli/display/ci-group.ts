import { removeControls } from './paint.ts'

/** A CI service whose log folds groups of lines. */
export type CiService = 'github' | 'gitlab'

/** Returns the CI service of a job, from its environment. Returns undefined elsewhere. */
export function findCiService(
  env: Readonly<Record<string, string | undefined>>,
): CiService | undefined {
  if (env['GITHUB_ACTIONS'] === 'true') return 'github'
  return env['GITLAB_CI'] === undefined || env['GITLAB_CI'] === '' ? undefined : 'gitlab'
}

/** A group of lines in the log of a CI job. */
interface CiGroup {
  readonly service: CiService
  readonly title: string
  /** The time of the formatted line, at the begin or the end of the group. Only GitLab needs it. */
  readonly unixSeconds: number
}

/** Returns the line that begins a group and shows the title of the group. */
export function formatGroupBegin({ service, title, unixSeconds }: CiGroup): string {
  const text = removeControls(title).replaceAll('\n', ' ')
  if (service === 'github') return `::group::${text}`
  return `\u001b[0Ksection_start:${unixSeconds}:${sectionNameOf(title)}\r\u001b[0K${text}`
}

/** Returns the line that ends a group. GitLab finds the begin by the title. */
export function formatGroupEnd({ service, title, unixSeconds }: CiGroup): string {
  if (service === 'github') return '::endgroup::'
  return `\u001b[0Ksection_end:${unixSeconds}:${sectionNameOf(title)}\r\u001b[0K`
}

/** Returns a GitLab section name. Such a name has only letters, digits, `_`, `.` and `-`. */
function sectionNameOf(title: string): string {
  return title.toLowerCase().replaceAll(/[^a-z0-9_.-]+/g, '_')
}
