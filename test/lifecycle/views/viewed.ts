import { credentials } from '@grpc/grpc-js'
import type {
  CreateRequest,
  DeleteRequest,
  ReadRequest,
  UpdateRequest,
  View,
} from '../../../proto/gen/pulumi/provider.ts'
import {
  PublishViewStepsRequest,
  ResourceStatusClient,
  ViewStep,
  ViewStep_Op as Op,
  ViewStepState,
} from '../../../proto/gen/pulumi/resource_status.ts'
import type { Script } from '../../../shared/providers/pulumi/scripted-server.ts'
import { z } from 'zod'
import { type Cloud, createCloud } from '../cloud.ts'
import type { Ran } from '../engine.ts'
import type { createEngines } from '../things.ts'

export { Op }

/** Where a call may tell of views. */
export interface Place {
  readonly resourceStatusAddress: string
  readonly resourceStatusToken: string
}

/** What a provider tells of views in its calls, each in order. */
export interface Telling {
  readonly create?: (ask: CreateRequest) => readonly ViewStep[]
  readonly update?: (ask: UpdateRequest) => readonly ViewStep[]
  readonly read?: (ask: ReadRequest) => readonly ViewStep[]
  readonly delete?: (ask: DeleteRequest) => readonly ViewStep[]
}

const viewType = 'test:index:View'

/** A view as `child` of its owner, with one value. */
export const view = (name: string, value: unknown): ViewStepState =>
  ViewStepState.create({
    type: viewType,
    name: `${name}-child`,
    inputs: { input: value },
    outputs: { result: value },
  })

/** A step of a view. */
export const step = (op: Op, more: Partial<ViewStep>): ViewStep => ViewStep.create({ op, ...more })

/** What was told of an old view, as the state before a step. */
export const was = ({ type, name, inputs, outputs }: View): ViewStepState =>
  ViewStepState.create({ type, name, inputs, outputs })

/** Tells of steps as a provider does. */
export async function publish(place: Place, steps: readonly ViewStep[]): Promise<void> {
  const client = new ResourceStatusClient(
    place.resourceStatusAddress,
    credentials.createInsecure(),
    { 'grpc.use_local_subchannel_pool': 1 },
  )
  const request = PublishViewStepsRequest.create({
    token: place.resourceStatusToken,
    steps: [...steps],
  })
  try {
    await new Promise<void>((done, failed) =>
      client.publishViewSteps(request, thrown => (thrown === null ? done() : failed(thrown))),
    )
  } finally {
    client.close()
  }
}

type Handler = (request: never) => unknown

/** The provider of a cloud that also tells of views, and the old views that its calls were told. */
export function viewed(cloud: Cloud, telling: Telling): { script: Script; told: View[][] } {
  const told: View[][] = []
  const around =
    <A extends Place>(
      handler: Handler | undefined,
      steps: ((ask: A) => readonly ViewStep[]) | undefined,
    ) =>
    async (ask: A): Promise<object> => {
      if ('oldViews' in ask) told.push([...(ask.oldViews as View[])])
      const answer = (await handler?.(ask as never)) as object
      const found = steps?.(ask) ?? []
      if (found.length > 0) await publish(ask, found)
      return answer
    }
  const script: Script = {
    ...cloud.script,
    create: around(cloud.script.create, telling.create) as never,
    update: around(cloud.script.update, telling.update) as never,
    read: around(cloud.script.read, telling.read) as never,
    delete: around(cloud.script.delete, telling.delete) as never,
  }
  return { script, told }
}

/** A view that has the value of its owner all its life. */
export const whole: Telling = {
  create: ({ name, properties }) => [step(Op.CREATE, { new: view(name, properties?.['v']) })],
  update: ({ oldViews, name, news }) =>
    oldViews.map(old => step(Op.UPDATE, { old: was(old), new: view(name, news?.['v']) })),
  delete: ({ oldViews }) => oldViews.map(old => step(Op.DELETE, { old: was(old) })),
}

/** Makes an engine over a cloud whose provider tells of views. */
export const sceneOf =
  (engines: Pick<ReturnType<typeof createEngines>, 'of'>) => async (telling: Telling) => {
    const cloud = createCloud()
    const provider = viewed(cloud, telling)
    const engine = await engines.of({ ...cloud, script: provider.script })
    return { cloud, engine, told: provider.told }
  }

const stored = z.looseObject({
  urn: z.string(),
  viewOf: z.string().optional(),
  parent: z.string().optional(),
  delete: z.boolean().optional(),
  inputs: z.record(z.string(), z.unknown()).optional(),
  outputs: z.record(z.string(), z.unknown()).optional(),
})

/** The views in a state. */
export function viewsIn({ state }: Ran): readonly z.infer<typeof stored>[] {
  return (state.resources ?? []).flatMap(one => {
    const found = stored.parse(one)
    return found.viewOf === undefined ? [] : [found]
  })
}

/** The events of a run about things and their views, as `pre create a`. */
export function told({ events }: Ran): readonly string[] {
  return events.flatMap(event => {
    const [kind, found] =
      'resourcePreEvent' in event
        ? ['pre', event.resourcePreEvent]
        : 'resOutputsEvent' in event
          ? ['out', event.resOutputsEvent]
          : 'resOpFailedEvent' in event
            ? ['failed', event.resOpFailedEvent]
            : ['', undefined]
    if (found === undefined || found.metadata.type.startsWith('pulumi:')) return []
    return [`${kind} ${found.metadata.op} ${found.metadata.urn.split('::').at(-1)}`]
  })
}
