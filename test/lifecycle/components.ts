import {
  CallResponse,
  type CallRequest,
  ConfigureResponse,
  type ConstructRequest,
  ConstructResponse,
} from '../../proto/gen/pulumi/provider.ts'
import type { EngineEventPayload } from '../../shared/engine/events/event.ts'
import type { Script } from '../../shared/providers/pulumi/scripted-server.fixture.ts'
import { signatureKey, signatures } from '../../shared/values/wire-options.ts'
import { type Monitor, withMonitor } from './scripted-hosts.ts'
import { toWireSecret } from './register-thing.ts'

/** Constructs a component as a provider does, over the monitor of its request. */
export type ConstructComponent = (
  request: ConstructRequest,
  monitor: Monitor,
) => Promise<Partial<ConstructResponse>>

/** Executes a method of a provider, over the monitor of its request. */
export type CallMethod = (request: CallRequest, monitor: Monitor) => Promise<Partial<CallResponse>>

/** Returns the response of a provider that accepts secrets, resources and outputs. */
const configure = (): ConfigureResponse =>
  ConfigureResponse.create({
    acceptSecrets: true,
    acceptResources: true,
    acceptOutputs: true,
    supportsPreview: true,
  })

/** Returns the script of a provider that constructs components. `rest` has its other methods. */
export function createComponentScript(
  { construct, method }: { readonly construct?: ConstructComponent; readonly method?: CallMethod },
  rest: Script = {},
): Script {
  return {
    ...rest,
    configure,
    ...(construct && {
      construct: (request: ConstructRequest) =>
        withMonitor(request.monitorEndpoint, async monitor =>
          ConstructResponse.create(await construct(request, monitor)),
        ),
    }),
    ...(method && {
      call: (request: CallRequest) =>
        withMonitor(request.monitorEndpoint, async monitor =>
          CallResponse.create(await method(request, monitor)),
        ),
    }),
  }
}

/** Registers the component itself. A provider that constructs one makes this call first. */
export async function registerSelf(
  { type, name, parent, providers }: ConstructRequest,
  monitor: Monitor,
  fields: Parameters<Monitor['register']>[0] | object = {},
): Promise<string> {
  const { urn } = await monitor.register({ type, name, parent, providers, object: {}, ...fields })
  return urn
}

/** Registers a component that a provider constructs, as a program does. */
export const registerComponent = (monitor: Monitor, name: string, fields: object = {}) =>
  monitor.register({
    type: 'comp:index:Group',
    name,
    remote: true,
    object: {},
    acceptResources: true,
    supportsPartialValues: true,
    ...fields,
  })

/** Returns the reported error messages without white space at their end. */
export const trimmedErrorsOf = (events: readonly EngineEventPayload[]): readonly string[] =>
  events.flatMap(event =>
    'diagnosticEvent' in event && event.diagnosticEvent?.severity === 'error'
      ? [event.diagnosticEvent.message.trimEnd()]
      : [],
  )

export const resourceUrnOf = (name: string, type = 'test:index:Thing'): string =>
  `urn:pulumi:dev::life::${type}::${name}`

const toWireOutput = (fields: object): object => ({ [signatureKey]: signatures.output, ...fields })

/** Values in their wire form. */
export const wireValues = {
  output: toWireOutput,
  secret: toWireSecret,
  reference: (fields: object): object => ({ [signatureKey]: signatures.reference, ...fields }),
  unknown: '04da6b54-80e4-46f7-96ec-b56ff0331ba9',
}
