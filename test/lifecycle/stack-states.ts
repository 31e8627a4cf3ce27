import { publishEdit } from '../../functions/step-generator/publish-edit.ts'
import { envelopeOf } from '../../shared/state/snapshot-codec.ts'
import type { EngineEventPayload } from '../../shared/engine/events/event.ts'
import { type StackId, stackIdOf } from '../../shared/records/ids.ts'
import type { StoredDeployment, StoredResource } from '../../shared/state/stored.ts'
import type { TestEngine } from './engine.ts'
import { project, stackName } from './scripted-hosts.ts'

/** Id of the stack of every test engine. */
const testStack = stackIdOf(project, stackName)

/** Edits the state of an engine's stack, as `state` commands do. */
export async function editStackState(
  engine: TestEngine,
  edit: (state: StoredDeployment) => StoredDeployment,
): Promise<void> {
  await engine.runKillable(undefined, process =>
    publishEdit(process.ports, testStack, {
      command: 'state',
      apply: state => ({ state: edit(state), count: 1, notices: [] }),
    }),
  )
}

/** Replaces each resource of an engine's stack with the resources that `edit` returns. */
export function editStackResources(
  engine: TestEngine,
  edit: (resource: StoredResource) => readonly StoredResource[],
): Promise<void> {
  return editStackState(engine, state => ({
    ...state,
    resources: (state.resources ?? []).flatMap(edit),
  }))
}

/** Publishes a state of another stack, which is created if it does not exist. */
export async function publishStack(
  { platform }: TestEngine,
  name: string,
  state: StoredDeployment,
): Promise<StackId> {
  const { catalog, blobs, clock } = platform
  const id = stackIdOf(project, name)
  await catalog.createStack(id, clock.now())
  const blob = await blobs.put(Buffer.from(JSON.stringify(await envelopeOf(state))))
  await catalog.publish(id, (await catalog.getStack(id))?.version ?? 0, blob)
  return id
}

/** Returns the resource with this name. Ignores copies that are marked for deletion. */
export function findResource(state: StoredDeployment, name: string): StoredResource | undefined {
  return (state.resources ?? []).find(
    resource => resource.urn.endsWith(`::${name}`) && resource['delete'] !== true,
  )
}

/** Returns the ops of the resource with this name, such as `create`, in order. */
export function resourceOpsOf(
  events: readonly EngineEventPayload[],
  name: string,
): readonly string[] {
  return events.flatMap(event =>
    'resourcePreEvent' in event && event.resourcePreEvent.metadata.urn.endsWith(`::${name}`)
      ? [event.resourcePreEvent.metadata.op]
      : [],
  )
}

/** Returns the diagnostic messages of one severity. */
export function messagesOf(
  events: readonly EngineEventPayload[],
  severity: string,
): readonly string[] {
  return events.flatMap(event =>
    'diagnosticEvent' in event && event.diagnosticEvent.severity === severity
      ? [event.diagnosticEvent.message]
      : [],
  )
}

/** Runs an empty program, then appends resources to the state of the engine's stack. */
export async function deployThenAddResources(
  engine: TestEngine,
  resources: readonly (Partial<StoredResource> & Pick<StoredResource, 'urn'>)[],
): Promise<void> {
  await engine.run(undefined)
  const addedResources = resources.map(resource => {
    const type = resource.urn.split('::')[2]?.split('$').at(-1) ?? ''
    return { type, custom: resource['id'] !== undefined, ...resource }
  })
  await editStackState(engine, state => ({
    ...state,
    resources: [...(state.resources ?? []), ...addedResources],
  }))
}
