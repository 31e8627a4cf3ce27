import { afterEach, describe, expect, test } from 'vitest'
import { CallResponse } from '../../../proto/gen/pulumi/provider.ts'
import { parseUrn } from '../../names/urn.ts'
import { unknownStringMarker } from '../../names/provider-reference.ts'
import { type PropertyValue, unknown } from '../../values/value.ts'
import { signatureKey, signatures } from '../../values/wire-options.ts'
import {
  allCapabilities,
  closeServers,
  createPropertyMap,
  noProperties,
  createSecretValue,
  serveProvider,
  resourceIdentity,
  createWireSecret,
} from './driver.fixture.ts'
import type { Script } from './scripted-server.fixture.ts'

afterEach(closeServers)

const dependencyUrn = parseUrn('urn:pulumi:d::p::a:b:C::other')
const createOutput = (value: PropertyValue | undefined, isSecret = false): PropertyValue => ({
  kind: 'output',
  ...(value === undefined ? {} : { value }),
  secret: isSecret,
  dependencies: [dependencyUrn],
})
const context = {
  project: 'p',
  stack: 'd',
  organization: 'o',
  configSecretKeys: ['p:key'],
  config: new Map([['p:key', 'text']]),
  parallel: 7,
  monitorAddress: '127.0.0.1:1',
}
const callInput = {
  token: 'a:b:C/method',
  args: createPropertyMap({
    plain: createOutput(1),
    hidden: createOutput('s', true),
    open: createOutput(undefined),
  }),
  argDependencies: new Map([['plain', [dependencyUrn]]]),
  context,
  stackTraceHandle: 'trace 1',
  preview: false,
}
/** Returns the script of a provider whose methods give this answer. */
const answerCall = (answer: Partial<CallResponse>): Script => ({
  call: () => CallResponse.create(answer),
})

describe('a method', () => {
  test("gets the deployment's description, and secrets stay wrapped for every provider", async () => {
    const { provider, calls } = await serveProvider(answerCall({}))
    await provider.call(callInput)
    expect(calls.at(-1)?.request).toMatchObject({
      tok: 'a:b:C/method',
      args: { plain: 1, hidden: createWireSecret('s'), open: unknownStringMarker },
      argDependencies: new Map([['plain', { urns: [dependencyUrn] }]]),
      project: 'p',
      stack: 'd',
      config: context.config,
      parallel: 7,
      monitorEndpoint: '127.0.0.1:1',
      dryRun: false,
      // Pulumi's engine leaves both fields empty: docs/spec/provider-protocol.md#call.
      organization: '',
      configSecretKeys: [],
      stackTraceHandle: 'trace 1',
      acceptsOutputValues: true,
    })
  })

  test('gets output values when both sides support them', async () => {
    const { provider, calls } = await serveProvider(answerCall({}), {
      handshakeCapabilities: allCapabilities,
    })
    await provider.call(callInput)
    expect(calls.at(-1)?.request).toMatchObject({
      args: {
        plain: { [signatureKey]: signatures.output, value: 1, dependencies: [dependencyUrn] },
      },
    })
  })

  test('returns output values, dependencies and failures', async () => {
    const value = { [signatureKey]: signatures.output, value: 2, dependencies: [dependencyUrn] }
    const { provider } = await serveProvider(
      answerCall({
        return: { two: value, hidden: createWireSecret('s') },
        returnDependencies: new Map([['hidden', { urns: [resourceIdentity.urn] }]]),
        failures: [{ property: 'plain', reason: 'is refused' }],
      }),
    )
    expect(await provider.call(callInput)).toEqual({
      outputs: createPropertyMap({ two: createOutput(2), hidden: createSecretValue('s') }),
      dependencies: new Map([['hidden', [resourceIdentity.urn]]]),
      failures: [{ property: 'plain', reason: 'is refused' }],
    })
  })

  test('may return unknown values in a preview only', async () => {
    const { provider } = await serveProvider(
      answerCall({ return: { later: unknownStringMarker, now: 1 } }),
    )
    const preview = await provider.call({ ...callInput, preview: true })
    expect(preview.outputs).toEqual(createPropertyMap({ later: unknown, now: 1 }))
    expect((await provider.call(callInput)).outputs).toEqual(createPropertyMap({ now: 1 }))
  })

  test('of an unconfigured provider returns nothing', async () => {
    const { provider, calls } = await serveProvider(answerCall({}), {
      inputs: createPropertyMap({ region: unknown }),
    })
    expect(await provider.call(callInput)).toEqual({ outputs: noProperties, failures: [] })
    expect(calls).toEqual([])
  })
})
