import * as z from 'zod'
import { triggerLimits } from '../../config/trigger-limits.ts'
import { type CommitState, formatHtmlMarker, type HostApi } from './host-api.ts'

const notesForm = z.array(z.object({ id: z.int().positive(), body: z.string().nullish() }))
const statusesForm = z.array(z.object({ name: z.string(), status: z.string() }))

/** The states of GitLab by state of a commit. GitLab has no state for errors. */
const gitlabStates = {
  pending: 'running',
  success: 'success',
  failure: 'failed',
  error: 'failed',
} as const satisfies Record<CommitState, string>

/** Returns the path of a project. GitLab accepts the escaped full name instead of a number. */
function projectPathOf(repository: string): string {
  return `/projects/${encodeURIComponent(repository)}`
}

/** The API of GitLab, on gitlab.com and on servers of its users. */
export const gitlabApi: HostApi = {
  name: 'GitLab',
  defaultApiUrl: 'https://gitlab.com/api/v4',
  createHeaders: credential => ({
    authorization: `Bearer ${credential}`,
    accept: 'application/json',
  }),
  archiveUrlOf: ({ apiUrl, repository, commit }) =>
    `${apiUrl}${projectPathOf(repository)}/repository/archive.tar.gz?sha=${commit}`,
  replies: {
    statusCallOf: ({ repository, commit }, { state, context, description, targetUrl }) => ({
      method: 'POST',
      path: `${projectPathOf(repository)}/statuses/${commit}`,
      value: { state: gitlabStates[state], name: context, description, target_url: targetUrl },
    }),
    // GitLab refuses a state that the commit already has, so a repeated call fails.
    shownStatusCheckOf: ({ repository, commit }, { state, context }) => ({
      path: `${projectPathOf(repository)}/repository/commits/${commit}/statuses?name=${encodeURIComponent(context)}`,
      isShown: value =>
        statusesForm
          .parse(value)
          .some(({ name, status }) => name === context && status === gitlabStates[state]),
    }),
    commentCallsOf: (repository, pullRequest) => {
      const commentsPath = `${projectPathOf(repository)}/merge_requests/${pullRequest}/notes`
      const { commentsPerPage } = triggerLimits
      const order = 'sort=asc&order_by=created_at'
      return {
        pullRequestKey: commentsPath,
        pagePathOf: page => `${commentsPath}?${order}&per_page=${commentsPerPage}&page=${page}`,
        readPage: value => {
          const notes = notesForm.parse(value)
          return {
            comments: notes.map(({ id, body }) => ({ id, text: body ?? '' })),
            isLast: notes.length < commentsPerPage,
          }
        },
        creationCallOf: body => ({ method: 'POST', path: commentsPath, value: { body } }),
        updateCallOf: ({ id }, body) => ({
          method: 'PUT',
          path: `${commentsPath}/${id}`,
          value: { body },
        }),
      }
    },
    formatMarker: formatHtmlMarker,
    commentCharsMax: triggerLimits.commentCharsMax,
    isNewestFirst: false,
  },
}
