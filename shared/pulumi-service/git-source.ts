import * as z from 'zod'
import { type DeployError, createError } from '../errors/error.ts'
import type { DeploymentRequest, WebhookOrigin } from '../records/stack-request.ts'
import { deriveWebhookRequest } from '../triggers/derive-request.ts'
import { toPrintable } from '../triggers/printable.ts'
import { commitForm, refNameForm, repositoryForm } from '../triggers/webhooks/repository-event.ts'
import type { Rule } from '../triggers/webhooks/rules.ts'
import { webhookDocument } from '../triggers/webhooks/webhook-document.ts'
import { readDocumentsOf } from '../triggers/read-documents.ts'
import type { ServicePorts } from './service-route.ts'

/** A repository, as clients name it. */
export const gitSourceForm = z.strictObject({
  repoUrl: z
    .string()
    .refine(url => parseRepositoryUrl(url) !== undefined, {
      error:
        'must be the address of a repository without credentials, such as https://github.com/acme/web.git',
    })
    .optional(),
  branch: refNameForm.optional(),
  commit: commitForm.optional(),
  /** The folder of the project. Absent: that of the rule. */
  repoDir: z.string().max(500).optional(),
})

/** A repository, a branch, a commit and a folder. */
export type GitSource = z.infer<typeof gitSourceForm>

const hint = [
  'Pass a full hash with `--git-commit`.',
  'An administrator creates a webhook of the form github with `antichain webhook create`.',
  'One of its rules must name the repository, the branch, the stack and the operation.',
].join(' ')

/** A repository at its host. */
interface HostedRepository {
  readonly host: string
  /** `owner/name`. */
  readonly repository: string
}

function parseRepositoryUrl(url: string): HostedRepository | undefined {
  const [, host = '', path = ''] =
    /^(?:https?:\/\/|ssh:\/\/git@)([\w.:-]{1,255})\/(.*)$/.exec(url) ??
    /^git@([\w.-]{1,255}):(.*)$/.exec(url) ??
    []
  const repository = path.replace(/\/$/, '').replace(/\.git$/, '')
  if (!repositoryForm.safeParse(repository).success) return undefined
  return { host: host.toLowerCase(), repository }
}

/**
 * Reports whether two addresses name the same repository, possibly in different forms, such as
 * `https://` and `git@`. Also returns true if neither of them names a repository.
 */
export function isSameRepository(url: string | undefined, otherUrl: string | undefined): boolean {
  const [one, other] = [parseRepositoryUrl(url ?? ''), parseRepositoryUrl(otherUrl ?? '')]
  return one?.host === other?.host && one?.repository === other?.repository
}

/** Returns the host of the repositories that an API address of GitHub serves. */
function repositoryHostOf(apiUrl: string): string {
  const { host } = new URL(apiUrl)
  return host === 'api.github.com' ? 'github.com' : host
}

/**
 * Returns the request for a commit of a repository, as a webhook with a matching rule would create
 * it. Before the request runs, a generator derives it from the rule again, because a stored request
 * may be forged. Throws API_INPUT_INVALID for an incomplete source, and API_FORBIDDEN if no rule
 * admits it.
 */
export async function createGitRequest(
  { documents }: Pick<ServicePorts, 'documents'>,
  { repoUrl = '', branch, commit, repoDir }: GitSource,
  request: DeploymentRequest,
): Promise<DeploymentRequest> {
  const hostedRepository = parseRepositoryUrl(repoUrl)
  if (hostedRepository === undefined) throw createIncompleteError('names no repository')
  if (commit === undefined) throw createIncompleteError('names no commit')
  const { host, repository } = hostedRepository
  for await (const { key, value } of readDocumentsOf(documents, 'webhook', '*')) {
    const webhook = webhookDocument.safeParse(value).data
    if (webhook === undefined || webhook.form !== 'github' || webhook.isPaused) continue
    if (repositoryHostOf(webhook.apiUrl) !== host) continue
    const rules = webhook.rules.filter(({ folder }) => (repoDir ?? folder) === folder)
    for (const ref of refsOf(branch, rules)) {
      const origin = { kind: 'webhook', webhook: key.name, repository, commit, ref } as const
      const derivedRequest = deriveWebhookRequest(rules, withRepository(request, origin), origin)
      if (derivedRequest !== undefined) return { ...derivedRequest, ...requesterOf(request) }
    }
  }
  const refText = branch === undefined ? '' : ` at ${toPrintable(branch)}`
  const message = `no webhook admits this operation of the repository ${repository}${refText}`
  throw createError('API_FORBIDDEN', message, { hint })
}

/** Returns the fields of the requester, so that requesters cannot approve their own requests. */
function requesterOf({ by, token }: DeploymentRequest): Pick<DeploymentRequest, 'by' | 'token'> {
  return token === undefined ? { by } : { by, token }
}

/**
 * Returns the refs to try, such as `branch main` and `tag v1`. `branch`: the name of a branch, or
 * `refs/heads/…` or `refs/tags/…`. Without `branch`, returns the branches that rules name without
 * wildcards and exclusions, because a commit does not say on which branch it is.
 */
function refsOf(branch: string | undefined, rules: readonly Rule[]): readonly string[] {
  if (branch !== undefined) {
    const tag = branch.startsWith('refs/tags/') ? branch.slice('refs/tags/'.length) : undefined
    return [tag === undefined ? `branch ${branch.replace(/^refs\/heads\//, '')}` : `tag ${tag}`]
  }
  const patterns = rules.flatMap(rule => (rule.on === 'push' ? rule.branches : []))
  return patterns.filter(pattern => !/[*?!]/.test(pattern)).map(pattern => `branch ${pattern}`)
}

/**
 * Returns a request with the program of an origin. The rule sets the folder, and decides whether
 * scripts run.
 */
function withRepository(request: DeploymentRequest, origin: WebhookOrigin): DeploymentRequest {
  const { repository, commit, webhook } = origin
  return {
    ...request,
    origin,
    program: { kind: 'repository', repository, commit, folder: '', webhook },
  }
}

function createIncompleteError(fault: string): DeployError {
  return createError('API_INPUT_INVALID', `the source of the deployment ${fault}`, { hint })
}
