import * as z from 'zod'
import { triggerLimits } from '../../config/trigger-limits.ts'
import { bitbucketStates, createBitbucketHeaders, statusKeyOf } from './bitbucket-api.ts'
import { formatLinkMarker, type HostApi } from './host-api.ts'

const activitiesForm = z.object({
  values: z.array(
    z.object({
      action: z.string(),
      comment: z
        .object({ id: z.int().positive(), version: z.int(), text: z.string().nullish() })
        .optional(),
    }),
  ),
  isLastPage: z.boolean(),
})

/** Returns `projects/<key>/repos/<slug>`, the path of a repository in the API and in pages. */
function repositoryPathOf(repository: string): string {
  const [project = '', slug = ''] = repository.split('/')
  return `projects/${project}/repos/${slug}`
}

/** The API of Bitbucket Data Center and Server. The address of the API ends with `/rest`. */
export const bitbucketServerApi: HostApi = {
  name: 'Bitbucket Server',
  defaultApiUrl: undefined,
  createHeaders: createBitbucketHeaders,
  // The prefix adds the outer folder, which this archive would otherwise lack.
  archiveUrlOf: ({ apiUrl, repository, commit }) =>
    `${apiUrl}/api/latest/${repositoryPathOf(repository)}/archive?at=${commit}&format=tar.gz&prefix=repository/`,
  replies: {
    statusCallOf: ({ repository, commit, apiUrl }, { state, context, description, targetUrl }) => ({
      method: 'POST',
      path: `/api/latest/${repositoryPathOf(repository)}/commits/${commit}/builds`,
      value: {
        key: statusKeyOf(context),
        name: context,
        state: bitbucketStates[state],
        description,
        url:
          targetUrl ??
          `${apiUrl.replace(/\/rest$/, '')}/${repositoryPathOf(repository)}/commits/${commit}`,
      },
    }),
    commentCallsOf: (repository, pullRequest) => {
      const basePath = `/api/latest/${repositoryPathOf(repository)}/pull-requests/${pullRequest}`
      const { commentsPerPage } = triggerLimits
      return {
        pullRequestKey: basePath,
        // Only the activities of a pull request contain all of its comments.
        pagePathOf: page =>
          `${basePath}/activities?limit=${commentsPerPage}&start=${(page - 1) * commentsPerPage}`,
        readPage: value => {
          const { values, isLastPage } = activitiesForm.parse(value)
          const comments = values.flatMap(({ action, comment }) =>
            action === 'COMMENTED' && comment !== undefined
              ? [{ id: comment.id, version: comment.version, text: comment.text ?? '' }]
              : [],
          )
          return { comments, isLast: isLastPage }
        },
        creationCallOf: text => ({
          method: 'POST',
          path: `${basePath}/comments`,
          value: { text },
        }),
        updateCallOf: ({ id, version = 0 }, text) => ({
          method: 'PUT',
          path: `${basePath}/comments/${id}`,
          value: { text, version },
        }),
      }
    },
    formatMarker: formatLinkMarker,
    commentCharsMax: triggerLimits.bitbucketCommentCharsMax,
    isNewestFirst: true,
  },
}
