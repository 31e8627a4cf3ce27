import { ConfigureResponse } from '../../../proto/gen/pulumi/provider.ts'
import type { Urn } from '../../names/urn.ts'
import type { PropertyMap, PropertyValue } from '../../values/value.ts'
import { signatureKey, signatures } from '../../values/wire-options.ts'
import { ProviderError } from '../provider-error.ts'
import { type Script, type ScriptedServer, serveScript } from './scripted-server.fixture.ts'

const servers: ScriptedServer[] = []

/** Ends the servers of a test. */
export function closeServers(): void {
  for (const server of servers.splice(0)) server.close()
}

/** The identity of a resource. */
export const resourceIdentity = {
  urn: 'urn:pulumi:d::p::a:b:C::n' as Urn,
  name: 'n',
  type: 'a:b:C',
}
/** The identity of a provider resource. */
export const providerIdentity = {
  urn: 'urn:pulumi:d::p::pulumi:providers:a::n' as Urn,
  name: 'n',
  type: 'pulumi:providers:a',
  id: 'id',
}
/** Creates a secret value. */
export const createSecretValue = (value: PropertyValue): PropertyValue => ({
  kind: 'secret',
  value,
})
/** Creates a secret in its wire format. */
export const createWireSecret = (value: unknown): Record<string, unknown> => ({
  [signatureKey]: signatures.secret,
  value,
})
/** No properties. */
export const noProperties = createPropertyMap({})
/** The capabilities of a provider that supports everything. */
export const allCapabilities = {
  secrets: true,
  references: true,
  bytes: true,
  outputs: true,
  preview: true,
  naming: true,
}

/** Creates properties from an object. */
export function createPropertyMap(fields: Record<string, PropertyValue>): PropertyMap {
  return new Map(Object.entries(fields))
}

/** Serves a script. Configures the driver with `inputs`, unless they are null. */
export async function serveProvider(
  script: Script,
  options: Parameters<typeof serveScript>[1] & { inputs?: PropertyMap | null } = {},
): Promise<ScriptedServer> {
  const { inputs = noProperties, ...deps } = options
  const configure = (): ConfigureResponse => ConfigureResponse.create({})
  const scriptedProvider = await serveScript({ configure, ...script }, deps)
  servers.push(scriptedProvider)
  if (inputs !== null) await scriptedProvider.provider.configure({ ...providerIdentity, inputs })
  return scriptedProvider
}

/** Returns the ProviderError with which a call rejects. */
export async function catchProviderError(promise: Promise<unknown>): Promise<ProviderError> {
  const thrown = await promise.then(
    () => undefined,
    (rejection: unknown) => rejection,
  )
  if (thrown instanceof ProviderError) return thrown
  throw new Error(`no ProviderError but ${String(thrown)}`)
}

/** The arguments of Create. */
export const createArguments = {
  ...resourceIdentity,
  inputs: createPropertyMap({ a: 1 }),
  timeoutSeconds: 0,
  preview: false,
}
/** The arguments of Update. */
export const updateArguments = {
  ...resourceIdentity,
  id: 'i',
  oldInputs: noProperties,
  oldOutputs: noProperties,
  newInputs: createPropertyMap({ a: 1 }),
  timeoutSeconds: 0,
  ignoreChanges: [],
  preview: false,
}
/** The arguments of Read. */
export const readArguments = {
  ...resourceIdentity,
  id: 'i',
  inputs: noProperties,
  outputs: noProperties,
  timeoutSeconds: 0,
}
