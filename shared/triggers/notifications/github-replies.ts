import * as z from 'zod'
import { triggerLimits } from '../../config/trigger-limits.ts'
import { error } from '../../errors/error.ts'
import type { OutboundPort } from '../../ports/outbound.ts'
import { readResponseText } from '../outbound/outbound.ts'
import { toPrintable } from '../printable.ts'
import { bodySignatureOf } from '../webhooks/signature.ts'

/** The state of a commit status on GitHub. */
export type CommitState = 'pending' | 'success' | 'failure' | 'error'

/** Reports results to the repository's host. */
export interface RepliesPort {
  /**
   * Sets the state of a commit under a name. Only the last state is shown, so the call may be
   * repeated.
   */
  readonly setStatus: (
    repository: string,
    commit: string,
    status: {
      readonly state: CommitState
      readonly context: string
      readonly description: string
      readonly url?: string
    },
  ) => Promise<void>
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

/** The address and credential of GitHub. */
export interface GithubOptions {
  readonly outbound: OutboundPort
  /** `https://api.github.com`, or the address of another server with its path. */
  readonly apiUrl: string
  readonly token: string
}

/** Returns the headers of every request to GitHub's API. */
export function createGithubHeaders(token: string): Readonly<Record<string, string>> {
  return {
    authorization: `Bearer ${token}`,
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
  }
}

/**
 * Creates the port that writes replies on GitHub. Every method throws OUTBOUND_REFUSED, and
 * OUTBOUND_FAILED with the status of the response, if there is one.
 */
export function createGithubReplies({ outbound, apiUrl, token }: GithubOptions): RepliesPort {
  const send = (
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    value?: object,
  ): Promise<{ readonly status: number; readonly text: string }> =>
    outbound.call(
      {
        method,
        url: `${apiUrl.replace(/\/$/, '')}/repos/${path}`,
        headers: { ...createGithubHeaders(token), 'content-type': 'application/json' },
        ...(value === undefined ? {} : { body: JSON.stringify(value) }),
        // Other people write the comments of a page, so its size is limited.
        bytesMax: triggerLimits.commentPageBytesMax,
      },
      async response => ({ status: response.status, text: await readResponseText(response) }),
    )
  return {
    setStatus: async (repository, commit, { state, context, description, url }) => {
      const targetField = url === undefined ? {} : { target_url: url }
      const shortDescription = toPrintable(description, triggerLimits.statusCharsMax - 1)
      const value = { state, context, description: shortDescription, ...targetField }
      const { status } = await send('POST', `${repository}/statuses/${commit}`, value)
      if (status !== 201) throw createUnexpectedStatusError('the status of a commit', status)
    },
    writeComment: async (repository, pullRequest, { text, subject }) => {
      const commentsPath = `${repository}/issues/${pullRequest}/comments`
      const marker = markerOf(token, `${commentsPath} ${subject}`)
      const value = { body: `${marker}\n${text}`.slice(0, triggerLimits.commentCharsMax) }
      const existingId = await findComment(marker, page =>
        send('GET', `${commentsPath}?per_page=${triggerLimits.commentsPerPage}&page=${page}`),
      )
      if (existingId !== undefined) {
        const { status } = await send('PATCH', `${repository}/issues/comments/${existingId}`, value)
        if (status === 200) return
        if (status !== 404 && status !== 403) throw createUnexpectedStatusError('a comment', status)
      }
      const { status } = await send('POST', commentsPath, value)
      if (status !== 201) throw createUnexpectedStatusError('a comment', status)
    },
  }
}

/**
 * Returns the invisible first line by which a comment is found again. Only a holder of the
 * credential can create this line.
 */
function markerOf(token: string, subject: string): string {
  return `<!-- antichain ${bodySignatureOf(token, subject).slice(0, 32)} -->`
}

const commentPageForm = z.array(z.object({ id: z.int().positive(), body: z.string().nullish() }))

/**
 * Returns the id of the first comment that begins with a marker, among the oldest thousand. Another
 * person's copy of a marker comes later.
 */
async function findComment(
  marker: string,
  fetchPage: (page: number) => Promise<{ readonly status: number; readonly text: string }>,
): Promise<number | undefined> {
  for (let number = 1; number <= triggerLimits.commentPagesMax; number += 1) {
    const { status, text } = await fetchPage(number)
    if (status !== 200) throw createUnexpectedStatusError('the list of comments', status)
    const comments = parseComments(text)
    const comment = comments.find(({ body }) => body?.startsWith(marker) === true)
    if (comment !== undefined) return comment.id
    if (comments.length < triggerLimits.commentsPerPage) return undefined
  }
  return undefined
}

function parseComments(text: string): z.infer<typeof commentPageForm> {
  try {
    return commentPageForm.parse(JSON.parse(text))
  } catch {
    throw error(
      'OUTBOUND_FAILED',
      'GitHub returned an unexpected response for the list of comments',
    )
  }
}

function createUnexpectedStatusError(subject: string, status: number): Error {
  const hints: Readonly<Record<number, string>> = {
    401: 'Set a credential that has not expired.',
    403: 'Give the credential permission to write commit statuses and pull requests.',
    404: 'Give the credential access to the repository.',
  }
  const hint = hints[status]
  return error('OUTBOUND_FAILED', `GitHub refused ${subject} with status ${status}`, {
    details: { status },
    ...(hint === undefined ? {} : { hint }),
  })
}

/**
 * Formats the comment on a preview. The program chooses names and error texts, so the code fence is
 * longer than any code fence in the lines.
 */
export function formatPreviewComment({
  stack,
  commit,
  isSuccessful,
  lines,
}: {
  readonly stack: string
  readonly commit: string
  readonly isSuccessful: boolean
  readonly lines: readonly string[]
}): string {
  const textCharsMax = triggerLimits.commentCharsMax - 500
  const text = lines.map(line => toPrintable(line, 2000)).join('\n')
  const shownText = text.length > textCharsMax ? `${text.slice(0, textCharsMax)}\n(cut here)` : text
  const longestTicks = Math.max(2, ...(shownText.match(/`+/g) ?? []).map(ticks => ticks.length))
  const fence = '`'.repeat(longestTicks + 1)
  const name = toPrintable(stack).replaceAll('`', "'")
  const result = isSuccessful ? 'succeeded' : 'failed'
  return `Preview of \`${name}\` at \`${commit.slice(0, 8)}\` ${result}.\n\n${fence}text\n${shownText}\n${fence}\n`
}
