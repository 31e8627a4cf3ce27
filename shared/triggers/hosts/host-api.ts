import type { OutboundRequest } from '../../ports/outbound.ts'

/** The state of a commit, as replies report it. */
export type CommitState = 'pending' | 'success' | 'failure' | 'error'

/** A state of a commit under a name, the `context`. */
export interface CommitStatus {
  readonly state: CommitState
  readonly context: string
  readonly description: string
  /** The address of the details. Absent: the host shows none, or that of the commit. */
  readonly targetUrl?: string
}

/** A call of a host's API. `path` follows the address of the API and begins with a slash. */
export interface HostCall {
  readonly method: OutboundRequest['method']
  readonly path: string
  readonly value?: object
}

/** A comment that a host returned. */
export interface HostComment {
  readonly id: number
  readonly text: string
  /** The version of the comment, for hosts that require it in a change. */
  readonly version?: number
}

/** A page of comments. `isLast`: whether no further page exists. */
export interface CommentPage {
  readonly comments: readonly HostComment[]
  readonly isLast: boolean
}

/** The calls that read and write the comments of one pull request. */
export interface CommentCalls {
  /** Identifies the pull request on its host, and is part of the marker of a comment. */
  readonly pullRequestKey: string
  /** Returns the path of a page. The first page has the number 1. */
  readonly pagePathOf: (page: number) => string
  /** Parses a page. Throws an error of any kind for an unexpected value. */
  readonly readPage: (value: unknown) => CommentPage
  readonly creationCallOf: (text: string) => HostCall
  readonly updateCallOf: (comment: HostComment, text: string) => HostCall
}

/** The calls with which a host receives results. */
export interface HostReplyCalls {
  /** `apiUrl`: the address of the API, without a slash at its end. */
  readonly statusCallOf: (
    target: { readonly repository: string; readonly commit: string; readonly apiUrl: string },
    status: CommitStatus,
  ) => HostCall
  /**
   * Only for a host that refuses a repeated state. `path`: the path of the states of a commit.
   * `isShown`: reports whether the states at this path include the refused one.
   */
  readonly shownStatusCheckOf?: (
    target: { readonly repository: string; readonly commit: string },
    status: CommitStatus,
  ) => { readonly path: string; readonly isShown: (value: unknown) => boolean }
  readonly commentCallsOf: (repository: string, pullRequest: number) => CommentCalls
  /** Returns the invisible first line of a comment. The line contains `digest`. */
  readonly formatMarker: (digest: string) => string
  /** Maximum number of characters of a comment. */
  readonly commentCharsMax: number
  /** Whether pages of comments begin with the newest one. */
  readonly isNewestFirst: boolean
}

/** The API of a kind of repository host. */
export interface HostApi {
  /** The name of the host in messages. */
  readonly name: string
  /** The address of the API of the public host; undefined if there is none. */
  readonly defaultApiUrl: string | undefined
  /** Returns the headers of every request with this credential. */
  readonly createHeaders: (credential: string) => Readonly<Record<string, string>>
  /** Returns the address of the packed files at a commit, in one outer folder. */
  readonly archiveUrlOf: (target: {
    readonly apiUrl: string
    readonly repository: string
    readonly commit: string
  }) => string
  /** Undefined for senders that receive no replies. */
  readonly replies: HostReplyCalls | undefined
}

/** Formats a marker as an HTML comment, which GitHub, GitLab and Gitea do not show. */
export function formatHtmlMarker(digest: string): string {
  return `<!-- antichain ${digest} -->`
}

/** Formats a marker as a link definition of Markdown, because Bitbucket shows HTML comments. */
export function formatLinkMarker(digest: string): string {
  return `[//]: # (antichain ${digest})\n`
}
