import { parseReference } from '../../names/provider-reference.ts'
import { childUrn, nameOf, stackType, type Urn } from '../../names/urn.ts'
import { messageOf } from '../../errors/error.ts'
import type {
  AnalyzedProvider,
  AnalyzedResource,
  Analysis,
  Analyzer,
  PolicyInfo,
  PolicyName,
  Violation,
} from '../../providers/analyzers/analyzer.ts'
import type { ResourceState } from '../../state/resource.ts'
import { scrubber, secretTexts } from '../../values/scrub.ts'
import { emptyMap, type PropertyMap } from '../../values/value.ts'
import { redactMap } from '../../values/walk.ts'
import { providerStateIn } from '../deployment/base.ts'
import type { PolicyIdentity, PolicySummaryEvent } from '../events/policy-events.ts'
import type { Candidate } from './candidate.ts'
import { bail, Bail, type GeneratorContext } from './context.ts'

/** What policy packs judge of a registration. */
type Judged = Pick<Candidate, 'goal' | 'claim' | 'next' | 'compared'>

/**
 * The candidate as policy packs leave it: its inputs remediated in turn, then judged by all packs
 * at once. A mandatory violation ends an update; a preview goes on and fails. Source:
 * docs/spec/monitor.md#analyzer-service, docs/spec/step-generation.md#check-and-policies.
 */
export async function underPolicies<C extends Judged>(
  ctx: GeneratorContext,
  candidate: C,
): Promise<C> {
  if (ctx.analyzers.length === 0) return candidate
  const remediated = await remediatedBy(ctx, candidate)
  const resource = analyzedOf(ctx, remediated, remediated.compared)
  const { urn } = resource
  const known = [resource.properties]
  const analyses = await askedOf(ctx, { urn, what: 'run policy', known }, pack =>
    pack.analyze(resource),
  )
  let isMandatory = false
  for (const { pack, answer } of analyses) {
    for (const violation of answer.violations)
      if (tellViolation(ctx, { violation, urn, known: resource.properties })) isMandatory = true
    const failed = answer.violations.map(({ policy }) => policy)
    const summary = summaryOf(pack, 'resource', { failed, ...answer })
    ctx.emitter.emit({ policyAnalyzeSummaryEvent: { resourceUrn: urn, ...summary } })
  }
  if (!isMandatory) return remediated
  ctx.noteFailure()
  if (ctx.preview) return remediated
  ctx.abort()
  throw new Bail()
}

async function remediatedBy<C extends Judged>(ctx: GeneratorContext, candidate: C): Promise<C> {
  const { urn } = candidate.claim
  let current = candidate
  for (const pack of ctx.analyzers) {
    const resource = analyzedOf(ctx, current, current.compared)
    const [asked] = await askedOf(
      { ...ctx, analyzers: [pack] },
      { urn, what: 'run remediation', known: [resource.properties] },
      () => pack.remediate(resource),
    )
    const { remediations = [], notApplicable = [] } = asked?.answer ?? {}
    for (const { diagnostic, properties, ...name } of remediations) {
      if (diagnostic !== '') {
        const violation = { ...name, message: diagnostic, urn, severity: '' } as const
        tellViolation(ctx, {
          violation: { ...violation, enforcement: 'advisory' },
          urn,
          known: resource.properties,
        })
        continue
      }
      ctx.emitter.emit({
        policyRemediationEvent: {
          resourceUrn: urn,
          color: 'raw',
          policyName: name.policy,
          ...identityOf(name),
          before: redactMap(current.compared),
          after: redactMap(properties),
        },
      })
      current = { ...current, compared: properties, next: { ...current.next, inputs: properties } }
    }
    const failed = remediations.map(({ policy }) => policy)
    const summary = summaryOf(pack, 'resource', { failed, notApplicable })
    ctx.emitter.emit({ policyRemediateSummaryEvent: { resourceUrn: urn, ...summary } })
  }
  return current
}

/**
 * Lets all packs judge the whole stack, with what its resources are now; false when that was to be
 * an error. Source: docs/spec/monitor.md#analyzer-service.
 */
export async function isStackAllowed(
  ctx: GeneratorContext,
  states: readonly ResourceState[],
): Promise<boolean> {
  if (ctx.analyzers.length === 0) return true
  const byUrn = new Map(states.map(state => [state.urn, state]))
  const providerIn = (reference: string) => providerOf(ctx, reference, byUrn)
  const resources = states.map(state => ({
    ...resourceOf(ctx, { ...state, properties: state.outputs }, providerIn),
    dependencies: state.dependencies,
    propertyDependencies: state.propertyDependencies,
  }))
  const known = states.map(({ outputs }) => outputs)
  const analyses = await askedOf(ctx, { what: 'run stack policy', known }, pack =>
    pack.analyzeStack(resources),
  )
  let isAllowed = true
  for (const { pack, answer } of analyses) {
    for (const violation of answer.violations) {
      const about = byUrn.get(violation.urn as Urn)
      const urn = about?.urn ?? rootUrn(ctx)
      const shown = about?.outputs ?? emptyMap
      if (tellViolation(ctx, { violation, urn, known: shown })) isAllowed = false
    }
    const failed = answer.violations.map(({ policy }) => policy)
    const summary = summaryOf(pack, 'stack', { failed, ...answer })
    ctx.emitter.emit({ policyAnalyzeStackSummaryEvent: summary })
  }
  return isAllowed
}

/** What this run made or kept; what was only read is nobody's to judge. */
export function statesNow({ sets }: GeneratorContext): readonly ResourceState[] {
  const states = [...sets.current.values()]
    .filter(({ op, passedOver }) => !op.startsWith('read') && passedOver !== 'not made')
    .map(({ state }) => state)
  // What is no target is known under its old name, too.
  return [...new Set([...states, ...sets.views.values()])]
}

/** Asks all packs at once. One that fails, or throws, ends the deployment with its sentence. */
async function askedOf<T>(
  ctx: GeneratorContext,
  about: {
    readonly urn?: Urn
    readonly what: string
    /** What the packs are told, whose secrets they may repeat. */
    readonly known: readonly PropertyMap[]
  },
  ask: (pack: Analyzer) => Promise<T>,
): Promise<readonly { readonly pack: Analyzer; readonly answer: T }[]> {
  const asking = Promise.all(
    ctx.analyzers.map(async pack => {
      try {
        return { pack, answer: await ask(pack) }
      } catch (thrown) {
        if (ctx.isAborted()) throw new Bail()
        const why = scrubber(secretTexts(...about.known))(messageOf(thrown))
        const message = `failed to ${about.what} of ${pack.info.name}: ${why}`
        return bail(ctx, ctx.emitter.scrub(message), about.urn)
      }
    }),
  )
  asking.catch(() => undefined)
  const answers = await Promise.race([asking, ctx.aborted])
  if (answers === undefined || ctx.isAborted()) throw new Bail()
  return answers
}

/** Tells a violation; whether it is one that must not be. */
function tellViolation(
  ctx: GeneratorContext,
  about: { readonly violation: Violation; readonly urn: Urn; readonly known: PropertyMap },
): boolean {
  const { violation, urn, known } = about
  const { policy, message, enforcement, severity } = violation
  if (enforcement === 'disabled') return false
  // A remediation that left it as it is cannot be had: then it must not be.
  const level = enforcement === 'advisory' ? 'advisory' : 'mandatory'
  ctx.emitter.emit({
    policyEvent: {
      resourceUrn: urn,
      message: `${ctx.emitter.scrub(scrubber(secretTexts(known))(message))}\n`,
      color: 'raw',
      policyName: policy,
      ...identityOf(violation),
      enforcementLevel: level,
      ...(severity === '' ? {} : { severity }),
    },
  })
  return level === 'mandatory'
}

function rootUrn(ctx: GeneratorContext): Urn {
  return childUrn(ctx, undefined, { type: stackType, name: `${ctx.project}-${ctx.stack}` })
}

function identityOf({ pack, version }: Pick<PolicyName, 'pack' | 'version'>): PolicyIdentity {
  return {
    policyPackName: pack,
    policyPackVersion: version,
    policyPackVersionTag: version,
  }
}

/** Which policies of a kind held: all that are on, concern it, and were not said to fail. */
function summaryOf(
  { info }: Analyzer,
  kind: PolicyInfo['kind'],
  about: Pick<Analysis, 'notApplicable'> & { readonly failed: readonly string[] },
): PolicySummaryEvent {
  const failed = [...new Set(about.failed)].sort()
  const passed = info.policies
    .filter(policy => policy.kind === kind || policy.kind === 'unknown')
    .filter(policy => policy.enforcement !== 'disabled')
    .map(policy => policy.name)
    .filter(name => !failed.includes(name) && !about.notApplicable.includes(name))
  return {
    ...identityOf({ pack: info.name, version: info.version }),
    ...(passed.length === 0 ? {} : { passed: [...new Set(passed)].sort() }),
    ...(failed.length === 0 ? {} : { failed }),
  }
}

function analyzedOf(
  ctx: GeneratorContext,
  { next, goal }: Judged,
  properties: PropertyMap,
): AnalyzedResource {
  const state = { ...next, ignoreChanges: goal.ignoreChanges, properties }
  return resourceOf(ctx, state, reference => providerOf(ctx, reference, new Map()))
}

function resourceOf(
  ctx: GeneratorContext,
  state: ResourceState & { readonly properties: PropertyMap },
  providerIn: (reference: string) => AnalyzedProvider | undefined,
): AnalyzedResource {
  const { urn, type, protect, ignoreChanges, additionalSecretOutputs, aliases } = state
  return {
    urn,
    type,
    name: nameOf(urn),
    properties: state.properties,
    options: {
      ...{ protect, ignoreChanges, additionalSecretOutputs, aliases },
      deleteBeforeReplace: ctx.sets.goals.get(urn)?.deleteBeforeReplace,
      customTimeouts: state.customTimeouts,
      parent: state.parent,
    },
    provider: providerIn(state.provider),
  }
}

function providerOf(
  ctx: GeneratorContext,
  reference: string,
  among: ReadonlyMap<Urn, ResourceState>,
): AnalyzedProvider | undefined {
  if (reference === '') return undefined
  const { urn, id } = parseReference(reference)
  const state =
    among.get(urn) ??
    ctx.sets.current.get(urn)?.state ??
    providerStateIn(ctx.base.snapshot, urn, id)
  if (state === undefined) return undefined
  return { urn, type: state.type, name: nameOf(urn), properties: state.inputs }
}
