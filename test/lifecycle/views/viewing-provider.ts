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
import type { Script } from '../../../shared/providers/pulumi/scripted-server.fixture.ts'
import * as z from 'zod'
import { type Cloud, createCloud } from '../cloud.ts'
import type { TestRun } from '../engine.ts'
import type { createEngines } from '../register-thing.ts'

export { Op }

/** The engine service to which a provider reports views during a call. */
export interface StatusEndpoint {
  readonly resourceStatusAddress: string
  readonly resourceStatusToken: string
}

/** The view steps that a provider reports in its calls, in order. */
export interface ViewScript {
  readonly create?: (request: CreateRequest) => readonly ViewStep[]
  readonly update?: (request: UpdateRequest) => readonly ViewStep[]
  readonly read?: (request: ReadRequest) => readonly ViewStep[]
  readonly delete?: (request: DeleteRequest) => readonly ViewStep[]
}

const viewType = 'test:index:View'

/** Returns the state of the view `<name>-child` of an owner, with one value. */
export const createViewState = (name: string, value: unknown): ViewStepState =>
  ViewStepState.create({
    type: viewType,
    name: `${name}-child`,
    inputs: { input: value },
    outputs: { result: value },
  })

/** Returns a step of a view. */
export const createViewStep = (op: Op, fields: Partial<ViewStep>): ViewStep =>
  ViewStep.create({ op, ...fields })

/** Returns an old view in the form of the state before a step. */
export const toOldState = ({ type, name, inputs, outputs }: View): ViewStepState =>
  ViewStepState.create({ type, name, inputs, outputs })

/** Publishes view steps as a provider does. */
export async function publishViewSteps(
  endpoint: StatusEndpoint,
  steps: readonly ViewStep[],
): Promise<void> {
  const client = new ResourceStatusClient(
    endpoint.resourceStatusAddress,
    credentials.createInsecure(),
    { 'grpc.use_local_subchannel_pool': 1 },
  )
  const request = PublishViewStepsRequest.create({
    token: endpoint.resourceStatusToken,
    steps: [...steps],
  })
  try {
    await new Promise<void>((resolve, reject) =>
      client.publishViewSteps(request, thrown => (thrown === null ? resolve() : reject(thrown))),
    )
  } finally {
    client.close()
  }
}

type Handler = (request: never) => unknown

/**
 * Creates the script of a cloud's provider that also reports views. `receivedViews` contains the
 * old views of each call.
 */
export function createViewingProvider(
  cloud: Cloud,
  viewScript: ViewScript,
): { script: Script; receivedViews: View[][] } {
  const receivedViews: View[][] = []
  const wrapHandler =
    <A extends StatusEndpoint>(
      handler: Handler | undefined,
      steps: ((request: A) => readonly ViewStep[]) | undefined,
    ) =>
    async (request: A): Promise<object> => {
      if ('oldViews' in request) receivedViews.push([...(request.oldViews as View[])])
      const answer = (await handler?.(request as never)) as object
      const viewSteps = steps?.(request) ?? []
      if (viewSteps.length > 0) await publishViewSteps(request, viewSteps)
      return answer
    }
  const script: Script = {
    ...cloud.script,
    create: wrapHandler(cloud.script.create, viewScript.create) as never,
    update: wrapHandler(cloud.script.update, viewScript.update) as never,
    read: wrapHandler(cloud.script.read, viewScript.read) as never,
    delete: wrapHandler(cloud.script.delete, viewScript.delete) as never,
  }
  return { script, receivedViews }
}

/** The steps of a view that always has the value of its owner. */
export const ownerViewScript: ViewScript = {
  create: ({ name, properties }) => [
    createViewStep(Op.CREATE, { new: createViewState(name, properties?.['v']) }),
  ],
  update: ({ oldViews, name, news }) =>
    oldViews.map(old =>
      createViewStep(Op.UPDATE, { old: toOldState(old), new: createViewState(name, news?.['v']) }),
    ),
  delete: ({ oldViews }) =>
    oldViews.map(old => createViewStep(Op.DELETE, { old: toOldState(old) })),
}

/** Returns a function that opens an engine over a cloud whose provider reports views. */
export const createViewEngineOpener =
  (engines: Pick<ReturnType<typeof createEngines>, 'open'>) => async (viewScript: ViewScript) => {
    const cloud = createCloud()
    const provider = createViewingProvider(cloud, viewScript)
    const engine = await engines.open({ ...cloud, script: provider.script })
    return { cloud, engine, receivedViews: provider.receivedViews }
  }

const viewSchema = z.looseObject({
  urn: z.string(),
  viewOf: z.string().optional(),
  parent: z.string().optional(),
  delete: z.boolean().optional(),
  inputs: z.record(z.string(), z.unknown()).optional(),
  outputs: z.record(z.string(), z.unknown()).optional(),
})

/** Returns the views of a state. */
export function readViews({ state }: TestRun): readonly z.infer<typeof viewSchema>[] {
  return (state.resources ?? []).flatMap(resource => {
    const view = viewSchema.parse(resource)
    return view.viewOf === undefined ? [] : [view]
  })
}

/** Returns the step events as `pre create a`, without those of the stack and of providers. */
export function viewEventsOf({ events }: TestRun): readonly string[] {
  return events.flatMap(event => {
    const [kind, payload] =
      'resourcePreEvent' in event
        ? ['pre', event.resourcePreEvent]
        : 'resOutputsEvent' in event
          ? ['out', event.resOutputsEvent]
          : 'resOpFailedEvent' in event
            ? ['failed', event.resOpFailedEvent]
            : ['', undefined]
    if (payload === undefined || payload.metadata.type.startsWith('pulumi:')) return []
    return [`${kind} ${payload.metadata.op} ${payload.metadata.urn.split('::').at(-1)}`]
  })
}
