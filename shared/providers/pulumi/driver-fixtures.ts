import { ConfigureResponse } from '../../../proto/gen/pulumi/provider.ts'
import type { Urn } from '../../names/urn.ts'
import type { PropertyMap, PropertyValue } from '../../values/value.ts'
import { signatureKey, signatures } from '../../values/wire-options.ts'
import { ProviderError } from '../provider-error.ts'
import { type Script, type ScriptedProvider, serveScript } from './scripted-server.ts'

const servers: ScriptedProvider[] = []

/** Ends the servers of a test. */
export function closeServers(): void {
  for (const each of servers.splice(0)) each.close()
}

/** A resource. */
export const subject = { urn: 'urn:pulumi:d::p::a:b:C::n' as Urn, name: 'n', type: 'a:b:C' }
/** A provider resource. */
export const config = {
  urn: 'urn:pulumi:d::p::pulumi:providers:a::n' as Urn,
  name: 'n',
  type: 'pulumi:providers:a',
  id: 'id',
}
/** A secret value. */
export const secretValue = (value: PropertyValue): PropertyValue => ({ kind: 'secret', value })
/** A secret in its wire format. */
export const wireSecret = (value: unknown): Record<string, unknown> => ({
  [signatureKey]: signatures.secret,
  value,
})
/** No properties. */
export const none = propertyMap({})
/** The handshake of a provider with all abilities. */
export const all = {
  secrets: true,
  references: true,
  bytes: true,
  outputs: true,
  preview: true,
  naming: true,
}

/** Creates properties from an object. */
export function propertyMap(fields: Record<string, PropertyValue>): PropertyMap {
  return new Map(Object.entries(fields))
}

/** Serves a script and configures the driver, unless `inputs` is null. */
export async function serveProvider(
  script: Script,
  options: Parameters<typeof serveScript>[1] & { inputs?: PropertyMap | null } = {},
): Promise<ScriptedProvider> {
  const { inputs = none, ...deps } = options
  const configure = (): ConfigureResponse => ConfigureResponse.create({})
  const served = await serveScript({ configure, ...script }, deps)
  servers.push(served)
  if (inputs !== null) await served.provider.configure({ ...config, inputs })
  return served
}

/** Returns the ProviderError with which a call rejects. */
export async function catchProviderError(promise: Promise<unknown>): Promise<ProviderError> {
  const thrown = await promise.then(
    () => undefined,
    (failed: unknown) => failed,
  )
  if (thrown instanceof ProviderError) return thrown
  throw new Error(`no ProviderError but ${String(thrown)}`)
}

/** The arguments of Create. */
export const creating = { ...subject, inputs: propertyMap({ a: 1 }), timeout: 0, preview: false }
/** The arguments of Update. */
export const updating = {
  ...subject,
  id: 'i',
  oldInputs: none,
  oldOutputs: none,
  newInputs: propertyMap({ a: 1 }),
  timeout: 0,
  ignoreChanges: [],
  preview: false,
}
/** The arguments of Read. */
export const reading = { ...subject, id: 'i', inputs: none, outputs: none, timeout: 0 }
