import * as z from 'zod'
import { triggerLimits } from '../../config/trigger-limits.ts'
import { digestOf } from '../webhooks/webhook-signature.ts'
import { type CommitState, formatLinkMarker, type HostApi } from './host-api.ts'

const commentsForm = z.object({
  values: z.array(
    z.object({ id: z.int().positive(), content: z.object({ raw: z.string().nullish() }) }),
  ),
  next: z.string().optional(),
})

/** The build states of Bitbucket Cloud and of Bitbucket Server, by the state of a commit. */
export const bitbucketStates = {
  pending: 'INPROGRESS',
  success: 'SUCCESSFUL',
  failure: 'FAILED',
  error: 'FAILED',
} as const satisfies Record<CommitState, string>

/**
 * Returns the key of a build state. Bitbucket allows 40 characters, and `context` may be longer.
 */
export function statusKeyOf(context: string): string {
  return digestOf(context).slice(0, 40)
}

/**
 * Returns the headers of a credential: an access token, or an email address and a token with a
 * colon between them.
 */
export function createBitbucketHeaders(credential: string): Readonly<Record<string, string>> {
  const authorization = credential.includes(':')
    ? `Basic ${Buffer.from(credential).toString('base64')}`
    : `Bearer ${credential}`
  return { authorization, accept: 'application/json' }
}

/** Returns the origin of the pages and archives, which have another host than the API. */
function webOriginOf(apiUrl: string): string {
  const url = new URL(apiUrl)
  return `${url.protocol}//${url.host.replace(/^api\./, '')}`
}

/** The API of Bitbucket Cloud. */
export const bitbucketApi: HostApi = {
  name: 'Bitbucket',
  defaultApiUrl: 'https://api.bitbucket.org/2.0',
  createHeaders: createBitbucketHeaders,
  archiveUrlOf: ({ apiUrl, repository, commit }) =>
    `${webOriginOf(apiUrl)}/${repository}/get/${commit}.tar.gz`,
  replies: {
    statusCallOf: ({ repository, commit, apiUrl }, { state, context, description, targetUrl }) => ({
      method: 'POST',
      path: `/repositories/${repository}/commit/${commit}/statuses/build`,
      value: {
        key: statusKeyOf(context),
        name: context,
        state: bitbucketStates[state],
        description,
        // Bitbucket requires an address. The page of the commit is the only one that always exists.
        url: targetUrl ?? `${webOriginOf(apiUrl)}/${repository}/commits/${commit}`,
      },
    }),
    commentCallsOf: (repository, pullRequest) => {
      const commentsPath = `/repositories/${repository}/pullrequests/${pullRequest}/comments`
      return {
        pullRequestKey: commentsPath,
        pagePathOf: page => `${commentsPath}?pagelen=${triggerLimits.commentsPerPage}&page=${page}`,
        readPage: value => {
          const { values, next } = commentsForm.parse(value)
          const comments = values.map(({ id, content }) => ({ id, text: content.raw ?? '' }))
          return { comments, isLast: next === undefined }
        },
        creationCallOf: raw => ({
          method: 'POST',
          path: commentsPath,
          value: { content: { raw } },
        }),
        updateCallOf: ({ id }, raw) => ({
          method: 'PUT',
          path: `${commentsPath}/${id}`,
          value: { content: { raw } },
        }),
      }
    },
    formatMarker: formatLinkMarker,
    commentCharsMax: triggerLimits.bitbucketCommentCharsMax,
    isNewestFirst: false,
  },
}
