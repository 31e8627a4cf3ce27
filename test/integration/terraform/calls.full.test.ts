import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TerraformProcess } from '../../../shared/providers/terraform/client/connect-provider.ts'
import type { SchemaMessage } from '../../../shared/providers/terraform/client/schema-messages.ts'
import type {
  MsgpackValue,
  ProviderSchemaResponse,
  TerraformClient,
} from '../../../shared/providers/terraform/client/terraform-client.ts'
import { describeWithCommands } from '../../e2e/toolchains.ts'
import { encodeObject, nullValue, toLatin1Text, type TestValue } from './encode-test-value.ts'
import { createTerraformRig, type TerraformRig } from './terraform-rig.ts'

const providers = [
  { name: 'tfgold', protocol: 6 },
  { name: 'tfgold5', protocol: 5 },
] as const

describeWithCommands('calls of a Terraform provider', [['go', 'version']], () => {
  let rig: TerraformRig
  beforeAll(() => {
    rig = createTerraformRig()
  })
  afterAll(() => rig.close())

  describe.each(providers)('in protocol $protocol', ({ name, protocol }) => {
    let provider: TerraformProcess
    let client: TerraformClient
    let schema: ProviderSchemaResponse
    const typeName = `${name}_thing`
    const noBytes = new Uint8Array()

    const schemaOf = (type: string): SchemaMessage => {
      const found = schema.resources.get(`${name}_${type}`)
      if (found === undefined) throw new Error(`the schema has no ${type}`)
      return found
    }
    const encodeThing = (values: Readonly<Record<string, TestValue>>): MsgpackValue =>
      encodeObject(schemaOf('thing'), values)

    beforeAll(async () => {
      provider = await rig.start(rig.pathOf(name))
      client = provider.client
      schema = await client.getProviderSchema()
    })

    /** Plans and applies the creation of a thing. */
    async function create(values: Readonly<Record<string, TestValue>>) {
      const config = encodeThing(values)
      const planned = await client.planResourceChange({
        typeName,
        priorState: nullValue,
        proposedNewState: config,
        config,
        priorPrivate: noBytes,
      })
      if (planned.plannedState === undefined || !('msgpack' in planned.plannedState))
        throw new Error('the plan has no state in MessagePack')
      const { plannedState, plannedPrivate } = planned
      const applied = await client.applyResourceChange({
        typeName,
        priorState: nullValue,
        plannedState,
        config,
        plannedPrivate,
      })
      return { planned, applied }
    }

    test('the handshake selects the protocol', () => {
      expect(client.protocol).toBe(protocol)
    })

    test('getProviderSchema returns types, flags, blocks, functions and capabilities', () => {
      expect(schema.diagnostics).toEqual([])
      const { block, version } = schemaOf('thing')
      expect(version).toBe(2)
      const findAttribute = (attributeName: string) =>
        block.attributes.find(attribute => attribute.name === attributeName)
      expect(findAttribute('name')).toMatchObject({ type: 'string', isRequired: true })
      expect(findAttribute('password')).toMatchObject({ isWriteOnly: true, isDeprecated: false })
      expect(schemaOf('types').block.attributes).toContainEqual(
        expect.objectContaining({ name: 'matrix', type: ['map', ['list', 'number']] }),
      )
      expect(schemaOf('blocks').block.blockTypes).toContainEqual(
        expect.objectContaining({ typeName: 'rule', nesting: 'list', maxItems: 4 }),
      )
      expect(schema.provider?.block.attributes).toContainEqual(
        expect.objectContaining({ name: 'token', isSensitive: true, isOptional: true }),
      )
      expect(schema.functions.get('join')).toMatchObject({
        returnType: 'string',
        variadicParameter: { name: 'parts', allowsNull: false },
      })
      expect(schema.capabilities.planDestroy).toBe(protocol === 6)
      expect([...schema.ephemeralResources.keys()]).toEqual([`${name}_ticket`])
    })

    test('getResourceIdentitySchemas and getFunctions return their schemas', async () => {
      const { schemas } = await client.getResourceIdentitySchemas()
      expect(schemas.get(`${name}_ident`)).toMatchObject({
        version: 1,
        attributes: [
          { name: 'name', type: 'string', isRequiredForImport: true },
          { name: 'region', isOptionalForImport: true },
        ],
      })
      expect((await client.getFunctions()).functions.has('join')).toBe(true)
    })

    test('configureProvider sends the version and the capabilities', async () => {
      const config = encodeObject(schema.provider ?? schemaOf('thing'), { endpoint: 'e' })
      expect(await client.validateProviderConfig(config)).toEqual({ diagnostics: [] })
      expect(await client.configureProvider(config)).toEqual({ diagnostics: [] })
      const call = rig.readCalls().findLast(({ rpc }) => rpc === 'ConfigureProvider')
      expect(call?.req).toMatchObject({
        terraform_version: '1.13.0',
        client_capabilities: { DeferralAllowed: false },
      })
    })

    test('validateResourceConfig returns diagnostics with paths', async () => {
      const { block } = schemaOf('blocks')
      const rule = { gen: null, key: 'invalid', port: null, step: [] }
      const config = encodeObject(
        { version: 0, block },
        { name: 'a', rule: [rule], grp: { key: null, level: null } },
      )
      expect(await client.validateResourceConfig({ typeName: `${name}_blocks`, config })).toEqual({
        diagnostics: [
          {
            severity: 'error',
            summary: 'Invalid rule',
            detail: 'No such key.',
            path: [
              { kind: 'attribute', name: 'rule' },
              { kind: 'index', index: 0 },
              { kind: 'attribute', name: 'key' },
            ],
          },
        ],
      })
      const worn = await client.validateResourceConfig({
        typeName,
        config: encodeThing({ name: 'a', value: 'worn' }),
      })
      expect(worn.diagnostics).toMatchObject([{ severity: 'warning' }])
    })

    test('planResourceChange and applyResourceChange create a thing', async () => {
      const { planned, applied } = await create({ name: 'made', value: 'v' })
      expect(planned).toMatchObject({ diagnostics: [], deferralReason: undefined })
      // The provider adds a letter to its private data: p for a plan, a for an apply.
      expect(Buffer.from(planned.plannedPrivate).toString()).toBe('{"chain":"p"}')
      expect(toLatin1Text(planned.plannedState)).not.toContain('made-1')
      expect(applied.diagnostics).toEqual([])
      expect(Buffer.from(applied.private).toString()).toBe('{"chain":"pa"}')
      expect(toLatin1Text(applied.newState)).toContain('made-')
    })

    test('applyResourceChange returns errors together with the partial state', async () => {
      rig.setFaults({ 'partial:create:half': 1 })
      const { applied } = await create({ name: 'half' })
      expect(applied.diagnostics).toMatchObject([{ severity: 'error', summary: 'Partly applied' }])
      expect(toLatin1Text(applied.newState)).toContain('half-')
    })

    test('readResource, upgradeResourceState and importResourceState return states', async () => {
      const id = `seen-${protocol}`
      const current = encodeThing({ id, name: 'seen' })
      const readOfMissing = await client.readResource({
        typeName,
        currentState: current,
        private: Buffer.from('{"chain":"x"}'),
      })
      // This byte is null in MessagePack.
      expect(toLatin1Text(readOfMissing.newState)).toBe('\u00c0')
      expect(Buffer.from(readOfMissing.private).toString()).toBe('{"chain":"x"}')
      const upgraded = await client.upgradeResourceState({
        typeName,
        version: 0,
        stored: { json: Buffer.from(JSON.stringify({ id, name: 'seen', val: 'old' })) },
      })
      expect(toLatin1Text(upgraded.upgradedState)).toContain('old')
      const imported = await client.importResourceState({ typeName, id: 'two-1' })
      expect(imported.importedResources).toHaveLength(2)
      const refused = await client.importResourceState({ typeName, id: 'refuse-1' })
      expect(refused.diagnostics).toMatchObject([{ summary: 'Cannot import' }])
    })

    test('readDataSource, callFunction and ephemeral calls return their results', async () => {
      const lookup = schema.dataSources.get(`${name}_lookup`) ?? schemaOf('thing')
      const config = encodeObject(lookup, { name: 'nothing' })
      const request = { typeName: `${name}_lookup`, config }
      expect(await client.validateDataResourceConfig(request)).toEqual({ diagnostics: [] })
      expect(toLatin1Text((await client.readDataSource(request)).state)).toContain('data-nothing')
      const encodeText = (value: string): MsgpackValue => ({
        msgpack: Buffer.concat([Buffer.from([0xa0 | value.length]), Buffer.from(value)]),
      })
      const joined = await client.callFunction({
        name: 'join',
        arguments: [encodeText('-'), encodeText('a'), encodeText('b')],
      })
      expect(joined.error).toBeUndefined()
      expect(toLatin1Text(joined.result)).toContain('a-b')
      const failed = await client.callFunction({ name: 'parse', arguments: [encodeText('x')] })
      expect(failed.error).toEqual({ text: 'want KEY:NUMBER', argumentIndex: 0 })
      const ticket = schema.ephemeralResources.get(`${name}_ticket`) ?? schemaOf('thing')
      const ticketName = `${name}_ticket`
      const opened = await client.openEphemeralResource({
        typeName: ticketName,
        config: encodeObject(ticket, { name: 't', ttl: 60 }),
      })
      expect(toLatin1Text(opened.result)).toContain('ticket-t')
      expect(opened.renewAtMs).toBeGreaterThan(Date.now())
      const renewed = await client.renewEphemeralResource({
        typeName: ticketName,
        private: opened.private,
      })
      expect(Buffer.from(renewed.private ?? []).toString()).toBe('t 60 1')
      const closed = await client.closeEphemeralResource({
        typeName: ticketName,
        private: renewed.private,
      })
      expect(closed.diagnostics).toEqual([])
    })

    test('stopProvider makes a running apply return its state early', async () => {
      const stoppable = await rig.start(rig.pathOf(name))
      rig.setFaults({ 'until-stop:create:slow': 1 })
      const config = encodeThing({ name: 'slow' })
      const planned = await stoppable.client.planResourceChange({
        typeName,
        config,
        priorState: nullValue,
        proposedNewState: config,
        priorPrivate: noBytes,
      })
      const pending = stoppable.client.applyResourceChange({
        typeName,
        config,
        priorState: nullValue,
        plannedState: { msgpack: Buffer.from(toLatin1Text(planned.plannedState), 'latin1') },
        plannedPrivate: planned.plannedPrivate,
      })
      await expect
        .poll(
          () =>
            rig
              .readCalls()
              .filter(({ rpc }) => rpc === 'ApplyResourceChange')
              .at(-1)?.req,
        )
        .toMatchObject({ planned_state: { name: 'slow' } })
      expect(await stoppable.client.stopProvider()).toBeUndefined()
      const applied = await pending
      expect(applied.diagnostics).toMatchObject([{ summary: 'Stopped' }])
      expect(toLatin1Text(applied.newState)).toContain('slow-')
    })
  })
})
