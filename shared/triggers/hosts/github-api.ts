import * as z from 'zod'
import { triggerLimits } from '../../config/trigger-limits.ts'
import { formatHtmlMarker, type HostApi } from './host-api.ts'

const commentsForm = z.array(z.object({ id: z.int().positive(), body: z.string().nullish() }))

/** The API of GitHub and of GitHub Enterprise Server. */
export const githubApi: HostApi = {
  name: 'GitHub',
  defaultApiUrl: 'https://api.github.com',
  createHeaders: credential => ({
    authorization: `Bearer ${credential}`,
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
  }),
  archiveUrlOf: ({ apiUrl, repository, commit }) =>
    `${apiUrl}/repos/${repository}/tarball/${commit}`,
  replies: {
    statusCallOf: ({ repository, commit }, { state, context, description, targetUrl }) => ({
      method: 'POST',
      path: `/repos/${repository}/statuses/${commit}`,
      value: { state, context, description, target_url: targetUrl },
    }),
    commentCallsOf: (repository, pullRequest) => {
      const commentsPath = `${repository}/issues/${pullRequest}/comments`
      const { commentsPerPage } = triggerLimits
      return {
        pullRequestKey: commentsPath,
        pagePathOf: page => `/repos/${commentsPath}?per_page=${commentsPerPage}&page=${page}`,
        readPage: value => {
          const comments = commentsForm.parse(value)
          return {
            comments: comments.map(({ id, body }) => ({ id, text: body ?? '' })),
            isLast: comments.length < commentsPerPage,
          }
        },
        creationCallOf: body => ({
          method: 'POST',
          path: `/repos/${commentsPath}`,
          value: { body },
        }),
        updateCallOf: ({ id }, body) => ({
          method: 'PATCH',
          path: `/repos/${repository}/issues/comments/${id}`,
          value: { body },
        }),
      }
    },
    formatMarker: formatHtmlMarker,
    commentCharsMax: triggerLimits.commentCharsMax,
    isNewestFirst: false,
  },
}

/** The API that serves the archives for webhooks of the form `signed`. It receives no replies. */
export const signedApi: HostApi = { ...githubApi, replies: undefined }
