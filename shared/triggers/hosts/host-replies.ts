import { triggerLimits } from '../../config/trigger-limits.ts'
import { createError } from '../../errors/error.ts'
import type { OutboundPort } from '../../ports/outbound.ts'
import { readResponseText } from '../outbound/outbound.ts'
import { toPrintable } from '../printable.ts'
import { bodySignatureOf } from '../webhooks/webhook-signature.ts'
import type {
  CommentCalls,
  CommitStatus,
  HostApi,
  HostCall,
  HostComment,
  HostReplyCalls,
} from './host-api.ts'

/** Reports results to the repository's host. */
export interface RepliesPort {
  /**
   * Sets the state of a commit under a name. Only the last state is shown, so the call may be
   * repeated.
   */
  readonly setStatus: (repository: string, commit: string, status: CommitStatus) => Promise<void>
  /**
   * Writes a comment to a pull request, or updates the earlier comment on the same subject, so the
   * call may be repeated. If the earlier comment was deleted or cannot be changed, a new comment is
   * created.
   */
  readonly writeComment: (
    repository: string,
    pullRequest: number,
    comment: { readonly text: string; readonly subject: string },
  ) => Promise<void>
}

/** A host, its address and a credential. */
export interface HostOptions {
  readonly outbound: OutboundPort
  readonly host: HostApi
  readonly calls: HostReplyCalls
  /** The address of the API with its path, such as `https://api.github.com`. */
  readonly apiUrl: string
  readonly credential: string
}

interface HostResponse {
  readonly status: number
  readonly text: string
}

/**
 * Creates the port that writes replies on a host. Every method throws OUTBOUND_REFUSED, and
 * OUTBOUND_FAILED with the status of the response, if there is one.
 */
export function createHostReplies(options: HostOptions): RepliesPort {
  const { host, calls, credential } = options
  const apiUrl = options.apiUrl.replace(/\/$/, '')
  const send = createSender({ ...options, apiUrl })
  return {
    setStatus: async (repository, commit, status) => {
      // A text that `toPrintable` cuts has one more character, the ellipsis.
      const description = toPrintable(status.description, triggerLimits.statusCharsMax - 1)
      const target = { repository, commit, apiUrl }
      const response = await send(calls.statusCallOf(target, { ...status, description }))
      if (isSuccess(response)) return
      const check = response.status === 400 ? calls.shownStatusCheckOf?.(target, status) : undefined
      if (check !== undefined) {
        const { status: code, text } = await send({ method: 'GET', path: check.path })
        if (code === 200 && parseResponse(host, text, check.isShown)) return
      }
      throw createUnexpectedStatusError(host, 'the status of a commit', response.status)
    },
    writeComment: async (repository, pullRequest, { text, subject }) => {
      const commentCalls = calls.commentCallsOf(repository, pullRequest)
      const digest = bodySignatureOf(credential, `${commentCalls.pullRequestKey} ${subject}`)
      const marker = calls.formatMarker(digest.slice(0, 32))
      const body = `${marker}\n${text}`.slice(0, calls.commentCharsMax)
      const earlierComment = await findComment(options, commentCalls, { marker, send })
      if (earlierComment !== undefined) {
        const { status } = await send(commentCalls.updateCallOf(earlierComment, body))
        if (isSuccess({ status })) return
        if (status !== 404 && status !== 403)
          throw createUnexpectedStatusError(host, 'a comment', status)
      }
      const response = await send(commentCalls.creationCallOf(body))
      if (!isSuccess(response))
        throw createUnexpectedStatusError(host, 'a comment', response.status)
    },
  }
}

function createSender({ outbound, host, apiUrl, credential }: HostOptions) {
  return ({ method, path, value }: HostCall): Promise<HostResponse> =>
    outbound.call(
      {
        method,
        url: `${apiUrl}${path}`,
        headers: { ...host.createHeaders(credential), 'content-type': 'application/json' },
        ...(value === undefined ? {} : { body: JSON.stringify(value) }),
        // Other people write the comments of a page, so its size is limited.
        bytesMax: triggerLimits.commentPageBytesMax,
      },
      async response => ({ status: response.status, text: await readResponseText(response) }),
    )
}

const isSuccess = ({ status }: { readonly status: number }): boolean =>
  status >= 200 && status < 300

/**
 * Returns the oldest comment that begins with a marker, among the first thousand that the host
 * lists. Only a holder of the credential can create the marker, and another person's copy of it
 * comes later.
 */
async function findComment(
  { host, calls }: HostOptions,
  { pagePathOf, readPage }: CommentCalls,
  {
    marker,
    send,
  }: { readonly marker: string; readonly send: (call: HostCall) => Promise<HostResponse> },
): Promise<HostComment | undefined> {
  let oldestComment: HostComment | undefined
  for (let number = 1; number <= triggerLimits.commentPagesMax; number += 1) {
    const { status, text } = await send({ method: 'GET', path: pagePathOf(number) })
    if (status !== 200) throw createUnexpectedStatusError(host, 'the list of comments', status)
    const { comments, isLast } = parseResponse(host, text, readPage)
    const isMarked = (comment: HostComment): boolean => comment.text.startsWith(marker.trim())
    oldestComment = calls.isNewestFirst
      ? (comments.findLast(isMarked) ?? oldestComment)
      : (oldestComment ?? comments.find(isMarked))
    if (isLast || (oldestComment !== undefined && !calls.isNewestFirst)) return oldestComment
  }
  return oldestComment
}

function parseResponse<T>({ name }: HostApi, text: string, read: (value: unknown) => T): T {
  try {
    return read(JSON.parse(text))
  } catch {
    throw createError('OUTBOUND_FAILED', `${name} returned an unexpected response`)
  }
}

/** `subject`: the refused value or request, for the message. */
function createUnexpectedStatusError({ name }: HostApi, subject: string, status: number): Error {
  const hints: Readonly<Record<number, string>> = {
    401: 'Set a credential that has not expired.',
    403: 'Give the credential permission to write commit statuses and pull requests.',
    404: 'Give the credential access to the repository.',
  }
  const hint = hints[status]
  return createError('OUTBOUND_FAILED', `${name} refused ${subject} with status ${status}`, {
    details: { status },
    ...(hint === undefined ? {} : { hint }),
  })
}
