import {
  ConstructRequest,
  type ConstructRequest_ResourceHooksBinding,
  ResourceProviderService as service,
} from '../../../proto/gen/pulumi/provider.ts'
import type { Alias as WireAlias } from '../../../proto/gen/pulumi/alias.ts'
import type { Alias } from '../../names/alias.ts'
import { isUrn, type Urn } from '../../names/urn.ts'
import { messageOf } from '../../errors/error.ts'
import { encodeWireValue } from '../../values/encode-wire.ts'
import type { WireOptions } from '../../values/wire-options.ts'
import type { PropertyValue } from '../../values/value.ts'
import type { ConstructInput, ConstructResult, HookNames } from '../component-construction.ts'
import { createLocalError } from '../plugins/call-failures.ts'
import {
  callProvider,
  decodeProperties,
  type ProviderSession,
  encodeProperties,
} from './provider-session.ts'

/**
 * Calls Construct. Secrets are always wrapped, and output values are sent to providers that support
 * them. Unknown values in the response are left out except in a preview. `unconfigured`: no request
 * was sent, because Configure was skipped. Source:
 * docs/spec/provider-protocol.md#components-construct.
 */
export async function callConstruct(
  session: ProviderSession,
  input: ConstructInput,
): Promise<ConstructResult | 'unconfigured'> {
  const method = service.construct
  const {
    secrets,
    references,
    bytes: allowsByteStrings,
    outputs,
  } = await session.waitUntilConfigured()
  if (session.isUnconfigured()) return 'unconfigured'
  if (!secrets)
    throw createLocalError('plugins that can construct components must support secrets', {
      status: 'ok',
    })
  const options: WireOptions = { unknowns: 'keep', secrets, references, outputs, allowsByteStrings }
  const inputs = encodeProperties(session, method, { map: input.inputs, options })
  const response = await callProvider(session, method, {
    request: toConstructRequest(input, inputs),
  })
  if (!isUrn(response.urn))
    throw createLocalError(
      `provider '${session.connection.name}' answered Construct with '${response.urn}', which is not a URN`,
      { status: 'unknown' },
    )
  return {
    urn: response.urn,
    outputs: decodeProperties(session, method, {
      struct: response.state,
      options: {
        unknowns: input.preview ? 'keep' : 'drop',
        secrets: true,
        references: true,
        outputs: true,
        allowsByteStrings: true,
      },
    }),
    dependencies: new Map(
      [...response.stateDependencies].map(([key, { urns }]) => [key, urns as Urn[]]),
    ),
  }
}

function toConstructRequest(
  { type, name, parent, options, context, stackTraceHandle, preview }: ConstructInput,
  inputs: Record<string, unknown>,
): ConstructRequest {
  const { project, stack, organization, config, configSecretKeys, parallel } = context
  const { aliases, hooks, customTimeouts, replacementTrigger, inputDependencies, ...otherOptions } =
    options
  return ConstructRequest.create({
    project,
    stack,
    organization,
    parallel,
    type,
    name,
    parent,
    inputs,
    stackTraceHandle,
    config: new Map(config),
    configSecretKeys: [...configSecretKeys],
    dryRun: preview,
    monitorEndpoint: context.monitorAddress,
    inputDependencies: new Map(
      [...inputDependencies].map(([key, urns]) => [key, { urns: [...urns] }]),
    ),
    acceptsOutputValues: true,
    aliases: aliases.map(encodeAlias),
    dependencies: [...otherOptions.dependencies],
    protect: otherOptions.protect,
    retainOnDelete: otherOptions.retainOnDelete,
    deleteBeforeReplace: otherOptions.deleteBeforeReplace,
    deletedWith: otherOptions.deletedWith,
    replaceWith: [...otherOptions.replaceWith],
    replacementTrigger: encodeTrigger(replacementTrigger, preview),
    ignoreChanges: [...otherOptions.ignoreChanges],
    replaceOnChanges: [...otherOptions.replaceOnChanges],
    additionalSecretOutputs: [...otherOptions.additionalSecretOutputs],
    providers: new Map(otherOptions.providers),
    customTimeouts,
    resourceHooks: hooks && encodeHooks(hooks),
  })
}

function encodeTrigger(trigger: PropertyValue, preview: boolean): unknown {
  if (trigger === null) return undefined
  const wrapOptions = {
    secrets: true,
    references: true,
    outputs: true,
    allowsByteStrings: true,
  } as const
  try {
    return encodeWireValue(trigger, { ...wrapOptions, unknowns: preview ? 'keep' : 'drop' })
  } catch (thrown) {
    throw createLocalError(`cannot send the replacement trigger: ${messageOf(thrown)}`, {
      status: 'ok',
      cause: thrown,
    })
  }
}

function encodeAlias(alias: Alias): WireAlias {
  if (alias.kind === 'urn') return { alias: { $case: 'urn', value: alias.urn } }
  const { name = '', type = '', stack = '', project = '' } = alias
  const parent =
    alias.parent === undefined
      ? undefined
      : alias.parent === ''
        ? ({ $case: 'noParent', value: true } as const)
        : ({ $case: 'parentUrn', value: alias.parent } as const)
  return { alias: { $case: 'spec', value: { name, type, stack, project, parent } } }
}

function encodeHooks(hooks: HookNames): ConstructRequest_ResourceHooksBinding {
  return {
    beforeCreate: [...hooks.beforeCreate],
    afterCreate: [...hooks.afterCreate],
    beforeUpdate: [...hooks.beforeUpdate],
    afterUpdate: [...hooks.afterUpdate],
    beforeDelete: [...hooks.beforeDelete],
    afterDelete: [...hooks.afterDelete],
    onError: [],
  }
}
