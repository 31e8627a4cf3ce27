import * as z from 'zod'
import type { Monitor, TestRun } from '../engine.ts'
import { project, stackName } from '../scripted-hosts.ts'

/** Returns the URN of a `test:index:Thing`. `parents`: the types of its ancestors. */
export function targetUrnOf(name: string, parents: readonly string[] = []): string {
  const type = [...parents, 'test:index:Thing'].join('$')
  return `urn:pulumi:${stackName}::${project}::${type}::${name}`
}

/** Returns the URN of a provider: by default, of the default provider of the package `test`. */
export function defaultProviderUrnOf(name = 'default', pkg = 'test'): string {
  return `urn:pulumi:${stackName}::${project}::pulumi:providers:${pkg}::${name}`
}

/** Returns the name part of a URN. */
function nameOf(urn: string): string {
  return urn.slice(urn.lastIndexOf('::') + 2)
}

/** Returns the steps of a run as `update a`, in order, without the stack. */
export function allStepsOf({ events }: TestRun): readonly string[] {
  return events.flatMap(event => {
    if (!('resourcePreEvent' in event)) return []
    const { op, urn, type } = event.resourcePreEvent.metadata
    return type === 'pulumi:pulumi:Stack' ? [] : [`${op} ${nameOf(urn)}`]
  })
}

/** Returns the names of the resources that had a step with this op, sorted. */
export function listNamesByOp(testRun: TestRun, op: string): readonly string[] {
  return allStepsOf(testRun)
    .flatMap(step => (step.startsWith(`${op} `) ? [step.slice(op.length + 1)] : []))
    .sort()
}

/** Returns the errors that a run reported. */
export function errorMessagesOf({ events }: TestRun): readonly string[] {
  return events.flatMap(event =>
    'diagnosticEvent' in event && event.diagnosticEvent.severity === 'error'
      ? [event.diagnosticEvent.message]
      : [],
  )
}

/** Returns the names of the resources in the state, sorted, without the stack and providers. */
export function listStateNames({ state }: TestRun): readonly string[] {
  return (state.resources ?? [])
    .filter(({ type }) => type !== 'pulumi:pulumi:Stack' && !isProviderType(type))
    .map(({ urn }) => nameOf(urn))
    .sort()
}

function isProviderType(type: string): boolean {
  return type.startsWith('pulumi:providers:')
}

/** The tested fields of a resource in the state. All other fields are allowed. */
const stateSchema = z.looseObject({
  urn: z.string(),
  id: z.string().optional(),
  inputs: z.record(z.string(), z.unknown()).optional(),
  outputs: z.record(z.string(), z.unknown()).optional(),
  parent: z.string().optional(),
  provider: z.string().optional(),
  dependencies: z.array(z.string()).optional(),
})

/** Returns the state of the resource with this name. Throws if there is none. */
export function resourceStateOf({ state }: TestRun, name: string): z.infer<typeof stateSchema> {
  const resource = state.resources?.find(({ urn }) => nameOf(urn) === name)
  if (resource === undefined) throw new Error(`the state has no '${name}'`)
  return stateSchema.parse(resource)
}

/** Registers an explicit provider and returns its reference. */
export async function registerProvider(
  monitor: Monitor,
  name: string,
  fields: object = {},
): Promise<string> {
  const type = 'pulumi:providers:test'
  const { urn, id } = await monitor.register({ type, name, custom: true, object: {}, ...fields })
  return `${urn}::${id}`
}
