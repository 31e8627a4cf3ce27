import * as z from 'zod'
import { triggerLimits } from '../../config/trigger-limits.ts'
import type { StackId } from '../../records/ids.ts'
import type { WebhookOrigin } from '../../records/stack-request.ts'
import { passesPatterns } from './glob.ts'
import type { ChangeEvent } from './repository-event.ts'

const patternForm = z.string().min(1).max(triggerLimits.patternCharsMax)
const patternListForm = z.array(patternForm).max(triggerLimits.patternsMax)

/** The id of a stack as users write it. */
const stackForm = z
  .string()
  .regex(
    /^organization\/[\w.-]{1,100}\/[\w.-]{1,100}$/,
    'must be the id of a stack, organization/<project>/<stack>',
  )
  .transform(id => id as StackId)

/** A folder of a repository; '' is its root. The steps `.` and `..` are refused. */
const folderForm = z
  .string()
  .max(500)
  .regex(
    /^(?:(?!\.{1,2}(?:\/|$))[^\p{Cc}/\\]+(?:\/(?!\.{1,2}(?:\/|$))[^\p{Cc}/\\]+)*)?$/u,
    'must be a folder within the repository, such as infra/site',
  )

const commonFields = {
  /** A pattern of `owner/name`. */
  repository: patternForm,
  /** Patterns of changed files. An empty list accepts every change. */
  paths: patternListForm.default([]),
  stack: stackForm,
  /** The repository's files at the commit, or the last uploaded program. */
  program: z.enum(['commit', 'uploaded']).default('commit'),
  /** The folder of the program in the repository. */
  folder: folderForm.default(''),
  /** Whether the packages of a commit are installed without their scripts. */
  ignoreScripts: z.boolean().default(false),
  /** Whether the preview of a commit may use the role with which its stack is deployed. */
  previewWithDeployRole: z.boolean().default(false),
  /** Whether an `up` or `destroy` waits for the approval of its plan. */
  approval: z.boolean().default(false),
}
const operationForm = z.enum(['up', 'preview', 'refresh', 'destroy']).default('up')

/** A rule: a change of a repository that requests an operation on a stack. */
export const ruleForm = z.discriminatedUnion('on', [
  z.strictObject({
    on: z.literal('push'),
    branches: patternListForm.min(1),
    operation: operationForm,
    ...commonFields,
  }),
  z.strictObject({
    on: z.literal('tag'),
    tags: patternListForm.min(1),
    operation: operationForm,
    ...commonFields,
  }),
  z.strictObject({
    on: z.literal('pull-request'),
    /** Patterns of the target branch. An empty list accepts every branch. */
    branches: patternListForm.default([]),
    /**
     * Whether pull requests of forks are accepted. The program of a fork runs with the permissions
     * of this installation.
     */
    forks: z.boolean().default(false),
    operation: z.literal('preview').default('preview'),
    ...commonFields,
  }),
])

/** A rule of a webhook, with defaults applied. */
export type Rule = z.infer<typeof ruleForm>

/** The match of a rule and a change, with the deployment that the rule requests. */
export interface RuleMatch {
  readonly stack: StackId
  readonly operation: 'up' | 'preview' | 'refresh' | 'destroy'
  readonly program:
    | { readonly kind: 'uploaded' }
    | {
        readonly kind: 'commit'
        readonly repository: string
        readonly commit: string
        readonly folder: string
        readonly ignoreScripts: boolean
        /** For a preview: whether the rule allows the role of deployments. */
        readonly previewWithDeployRole?: boolean
      }
  /** Whether the operation waits for the approval of its plan. Absent: no. */
  readonly needsApproval?: true
  /** The change: `branch main`, `tag v1`, `pull request 7`. */
  readonly ref: string
  /** The position of the change in its delivery. Absent for the first one. */
  readonly position?: number
  /** The target of the reply: the commit, and the pull request if the change belongs to one. */
  readonly replyTarget: {
    readonly repository: string
    readonly commit: string
    readonly pullRequest?: number
  }
}

/**
 * Returns the matches of an event, at most one per stack. The first matching rule of a stack
 * decides. A change with unknown paths passes every path filter.
 */
export function findRuleMatches(rules: readonly Rule[], event: ChangeEvent): readonly RuleMatch[] {
  const matchesByStack = new Map<StackId, RuleMatch>()
  for (const rule of rules)
    if (!matchesByStack.has(rule.stack) && matchesRule(rule, event))
      matchesByStack.set(rule.stack, createRuleMatch(rule, event))
  return [...matchesByStack.values()]
}

/**
 * Returns the matches between the rules of a stack and the origin of a request. An origin does not
 * record the changed files, the target branch of a pull request, or whether it comes from a fork.
 * So these conditions are not checked. Pure.
 */
export function findRuleMatchesOfOrigin(
  rules: readonly Rule[],
  stack: StackId,
  origin: WebhookOrigin,
): readonly RuleMatch[] {
  const { repository, commit, ref, pullRequest } = origin
  const change = { repository, commit, paths: undefined }
  const [kind = '', name = ''] = /^(branch|tag) (.*)$/su.exec(ref)?.slice(1) ?? []
  const event: ChangeEvent | undefined =
    pullRequest !== undefined
      ? { kind: 'pull-request', number: pullRequest, branch: '', isForeign: false, ...change }
      : kind === 'branch'
        ? { kind: 'push', branch: name, ...change }
        : kind === 'tag'
          ? { kind: 'tag', tag: name, ...change }
          : undefined
  if (event === undefined) return []
  return rules
    .map(rule => (rule.on === 'pull-request' ? { ...rule, branches: [] } : rule))
    .filter(rule => rule.stack === stack && matchesRule(rule, event))
    .map(rule => createRuleMatch(rule, event))
}

function matchesRule(rule: Rule, event: ChangeEvent): boolean {
  if (rule.on !== event.kind) return false
  if (!passesPatterns([rule.repository], event.repository) || !passesPaths(rule, event))
    return false
  if (rule.on === 'push')
    return event.kind === 'push' && passesPatterns(rule.branches, event.branch)
  if (rule.on === 'tag') return event.kind === 'tag' && passesPatterns(rule.tags, event.tag)
  if (event.kind !== 'pull-request' || !passesPatterns(rule.branches, event.branch)) return false
  return rule.forks || !event.isForeign
}

function passesPaths(rule: Rule, { paths }: ChangeEvent): boolean {
  if (rule.paths.length === 0 || paths === undefined) return true
  return paths.some(path => passesPatterns(rule.paths, path))
}

function createRuleMatch(rule: Rule, event: ChangeEvent): RuleMatch {
  const { repository, commit } = event
  const { folder, ignoreScripts } = rule
  const roleField =
    rule.operation === 'preview' ? { previewWithDeployRole: rule.previewWithDeployRole } : {}
  const needsApproval = rule.approval && ['up', 'destroy'].includes(rule.operation)
  const approvalField = needsApproval ? ({ needsApproval: true } as const) : {}
  const pullRequestField = event.kind === 'pull-request' ? { pullRequest: event.number } : {}
  return {
    stack: rule.stack,
    operation: rule.operation,
    ...approvalField,
    program:
      rule.program === 'uploaded'
        ? { kind: 'uploaded' }
        : { kind: 'commit', repository, commit, folder, ignoreScripts, ...roleField },
    ref: refOf(event),
    replyTarget: { repository, commit, ...pullRequestField },
  }
}

function refOf(event: ChangeEvent): string {
  if (event.kind === 'push') return `branch ${event.branch}`
  return event.kind === 'tag' ? `tag ${event.tag}` : `pull request ${event.number}`
}
