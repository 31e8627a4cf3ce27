import { z } from 'zod'
import { triggerLimits } from '../config/trigger-limits.ts'
import { error } from '../errors/error.ts'
import type { OutboundPort } from '../ports/outbound.ts'
import { textOf } from './outbound.ts'
import { printable } from './printable.ts'

/** How far the deployment of a commit is. */
export type CommitState = 'pending' | 'success' | 'failure' | 'error'

/** Where results are told. */
export interface RepliesPort {
  /** Sets the state of a commit under a name; the last one stands, so it may be repeated. */
  readonly status: (
    repository: string,
    commit: string,
    told: {
      readonly state: CommitState
      readonly context: string
      readonly description: string
      readonly url?: string
    },
  ) => Promise<void>
  /**
   * Writes a comment under a pull request, or over the one of this id; answers its id. A comment
   * that is gone is written anew.
   */
  readonly comment: (
    repository: string,
    pullRequest: number,
    told: { readonly text: string; readonly over?: number },
  ) => Promise<number>
}

/** Where GitHub is, and who asks. */
export interface GithubOptions {
  readonly outbound: OutboundPort
  /** `https://api.github.com`, or that of an own server with its path. */
  readonly apiUrl: string
  readonly token: string
}

/** What every request to GitHub's API has. */
export function githubHeaders(token: string): Readonly<Record<string, string>> {
  return {
    authorization: `Bearer ${token}`,
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
  }
}

/** Answers on GitHub. Every method throws OUTBOUND_REFUSED and OUTBOUND_FAILED with the status. */
export function createGithubReplies({ outbound, apiUrl, token }: GithubOptions): RepliesPort {
  const send = (
    method: 'POST' | 'PATCH',
    path: string,
    value: object,
  ): Promise<{ readonly status: number; readonly text: string }> =>
    outbound.call(
      {
        method,
        url: `${apiUrl.replace(/\/$/, '')}/repos/${path}`,
        headers: { ...githubHeaders(token), 'content-type': 'application/json' },
        body: JSON.stringify(value),
      },
      async response => ({ status: response.status, text: await textOf(response) }),
    )
  return {
    status: async (repository, commit, { state, context, description, url }) => {
      const target = url === undefined ? {} : { target_url: url }
      const short = printable(description, triggerLimits.statusCharsMax - 1)
      const value = { state, context, description: short, ...target }
      const { status } = await send('POST', `${repository}/statuses/${commit}`, value)
      if (status !== 201) throw unexpected('the status of a commit', status)
    },
    comment: async (repository, pullRequest, { text, over }) => {
      const value = { body: text.slice(0, triggerLimits.commentCharsMax) }
      if (over !== undefined) {
        const { status } = await send('PATCH', `${repository}/issues/comments/${over}`, value)
        if (status === 200) return over
        if (status !== 404) throw unexpected('a comment', status)
      }
      const made = await send('POST', `${repository}/issues/${pullRequest}/comments`, value)
      if (made.status !== 201) throw unexpected('a comment', made.status)
      return idOf(made.text)
    },
  }
}

function idOf(text: string): number {
  try {
    return z.object({ id: z.int().positive() }).parse(JSON.parse(text)).id
  } catch {
    throw error('OUTBOUND_FAILED', 'GitHub took a comment and did not say its id')
  }
}

function unexpected(what: string, status: number): Error {
  const hints: Readonly<Record<number, string>> = {
    401: 'Set a credential that has not expired.',
    403: 'Give the credential the right to write commit statuses and pull requests.',
    404: 'Give the credential access to the repository.',
  }
  const hint = hints[status]
  return error('OUTBOUND_FAILED', `GitHub did not take ${what}: it answered ${status}`, {
    details: { status },
    ...(hint === undefined ? {} : { hint }),
  })
}

/**
 * The comment about a preview: its result as text that no markup of GitHub's can come out of, for
 * names and errors in it are chosen by whoever wrote the program.
 */
export function previewComment({
  stack,
  isGood,
  lines,
}: {
  readonly stack: string
  readonly isGood: boolean
  readonly lines: readonly string[]
}): string {
  const most = triggerLimits.commentCharsMax - 500
  const text = lines.map(line => printable(line, 2000)).join('\n')
  const shown = text.length > most ? `${text.slice(0, most)}\n(cut here)` : text
  const longest = Math.max(2, ...(shown.match(/`+/g) ?? []).map(ticks => ticks.length))
  const fence = '`'.repeat(longest + 1)
  const name = printable(stack).replaceAll('`', "'")
  const result = isGood ? 'succeeded' : 'failed'
  return `Preview of \`${name}\` ${result}.\n\n${fence}text\n${shown}\n${fence}\n`
}
