import { type ChannelCredentials, credentials } from '@grpc/grpc-js'
import { afterEach, expect, test } from 'vitest'
import {
  GetSchemaRequest,
  type GetSchemaResponse,
  LoaderClient,
  Parameterization,
} from '../../../proto/gen/pulumi/codegen/loader.ts'
import {
  GetMappingRequest,
  type GetMappingResponse,
  MapperClient,
  MapperParameterizationHint,
} from '../../../proto/gen/pulumi/codegen/mapper.ts'
import type {
  GetMappingRequest as MappingRequest,
  GetSchemaRequest as SchemaRequest,
} from '../../../proto/gen/pulumi/provider.ts'
import { toRunRequest } from '../../../shared/programs/hosts/language-host.ts'
import type { Provider } from '../../../shared/providers/provider.ts'
import type { Script } from '../../../shared/providers/pulumi/scripted-server.fixture.ts'
import { createCloud } from '../cloud.ts'
import type { Monitor } from '../engine.ts'
import { createScriptedPluginHost } from '../scripted-hosts.ts'
import { createEngines } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** Returns the address of the engine's services. */
const addressOf = ({ client }: Monitor): string =>
  client.getChannel().getTarget().replace('dns:', '')

/** The callback of a gRPC call. */
type ReplyCallback<A> = (failed: Error | null, answer: A) => void

/** Calls one of the services at an address. */
async function callClient<C extends { close: () => void }, A>(
  Client: new (address: string, security: ChannelCredentials, options: object) => C,
  address: string,
  call: (client: C, done: ReplyCallback<A>) => unknown,
): Promise<A> {
  const channelOptions = { 'grpc.use_local_subchannel_pool': 1 }
  const client = new Client(address, credentials.createInsecure(), channelOptions)
  try {
    return await new Promise((resolve, reject) =>
      call(client, (failed, answer) => (failed === null ? resolve(answer) : reject(failed))),
    )
  } finally {
    client.close()
  }
}

const readSchema = (address: string, request: Partial<GetSchemaRequest>): Promise<string> =>
  callClient(
    LoaderClient,
    address,
    (client: LoaderClient, done: ReplyCallback<GetSchemaResponse>) =>
      client.getSchema(GetSchemaRequest.create(request), done),
  ).then(({ schema }) => schema.toString())

const readMapping = (address: string, request: Partial<GetMappingRequest>): Promise<string> =>
  callClient(
    MapperClient,
    address,
    (client: MapperClient, done: ReplyCallback<GetMappingResponse>) =>
      client.getMapping(GetMappingRequest.create(request), done),
  ).then(({ data }) => data.toString())

/**
 * Calls `callServices` while a program runs. Plugins answer from `scripts`. Returns the names of
 * the loaded plugins.
 */
async function runWith(
  scripts: Readonly<Record<string, Script>>,
  callServices: (address: string, monitor: Monitor) => Promise<void>,
): Promise<readonly string[]> {
  const engine = await engines.open(createCloud(), scripts)
  const loaded: string[] = []
  const instanceOf = (pkg: string, name: string): Provider => {
    loaded.push(name)
    const { provider } = engine
    return (engine.packages.get(name) ?? engine.packages.get(pkg) ?? provider).createInstance()
  }
  const plugins = {
    ...createScriptedPluginHost(pkg => instanceOf(pkg, pkg)),
    load: (plugin: { name: string }, { pkg }: { pkg: string }) =>
      Promise.resolve({ ...instanceOf(pkg, plugin.name), close: () => Promise.resolve() }),
    listInstalled: () => Object.keys(scripts),
  }
  const failures: unknown[] = []
  const program = async (monitor: Monitor): Promise<void> => {
    await callServices(addressOf(monitor), monitor).catch((thrown: unknown) =>
      failures.push(thrown),
    )
  }
  const { result } = await engine.run(program, { plugins })
  expect(failures).toEqual([])
  expect(result.result).toBe('succeeded')
  return loaded
}

const schemaOf = (name: string): string => JSON.stringify({ name, version: '1.0.0', resources: {} })

test('TestLoader: a program requests schemas at the address that its host received', async () => {
  const getSchema = ({ subpackageName, subpackageVersion }: SchemaRequest) => ({
    schema: schemaOf(subpackageName === '' ? 'pkgA' : `${subpackageName}@${subpackageVersion}`),
  })
  const script = { ...createCloud().script, getSchema }
  const loaded = await runWith({ pkgA: script }, async address => {
    expect(await readSchema(address, { package: 'pkgA' })).toBe(schemaOf('pkgA'))
    const parameterization = Parameterization.create({ name: 'sub', version: '2.0.0' })
    expect(
      await readSchema(address, { package: 'pkgA', version: 'v1.2.0', parameterization }),
    ).toBe(schemaOf('sub@2.0.0'))
    await expect(readSchema(address, { package: 'pkgA', version: 'x' })).rejects.toThrow(
      'x not a valid semver',
    )
    await expect(readSchema(address, { package: 'none' })).rejects.toThrow('does not implement')
  })
  expect(loaded).toEqual(['pkgA', 'pkgA', 'none'])
})

test('TestMapperAddressIsPassed: a host receives the address of the mapping service, which returns mappings', async () => {
  const requestedMappings: MappingRequest[] = []
  const createMappingScript = (provider: string, listsProvider: boolean): Script => ({
    ...createCloud().script,
    getMapping: (request: MappingRequest) => {
      requestedMappings.push(request)
      return { provider, data: Buffer.from(`${request.key} of ${provider}`) }
    },
    ...(listsProvider ? { getMappings: () => ({ providers: [provider] }) } : {}),
  })
  const scripts = {
    gcp: createMappingScript('google', true),
    old: createMappingScript('older', false),
    dumb: createCloud().script,
  }
  const loaded = await runWith(scripts, async address => {
    const run = toRunRequest({
      project: 'p',
      stack: 's',
      organization: 'o',
      config: new Map(),
      configSecretKeys: [],
      dryRun: false,
      parallel: 1,
      monitorAddress: address,
      engineAddress: address,
      runtime: 'hcl',
      projectFolder: '/',
      programFolder: '/',
      entryPoint: '.',
      runtimeOptions: {},
    })
    expect(run).toMatchObject({ mapperTarget: address, loaderTarget: address })
    expect(await readMapping(run.mapperTarget, { provider: 'google' })).toBe('terraform of google')
    expect(await readMapping(address, { provider: 'older', ecosystem: 'other' })).toBe(
      'other of older',
    )
    expect(await readMapping(address, { provider: 'nobody' })).toBe('')
    const hint = MapperParameterizationHint.create({ name: 'old', version: '1.0.0' })
    const hinted = { provider: 'older', pulumiProvider: 'old', parameterizationHint: hint }
    expect(await readMapping(address, hinted)).toBe('terraform of older')
  })
  // The plugin named in the request is called first. Without a name, the plugins are called in the
  // order of their installation, until one has a mapping.
  expect(loaded).toEqual(['gcp', 'gcp', 'old', 'gcp', 'old', 'dumb', 'old'])
  expect(requestedMappings[0]).toEqual({ key: 'terraform', provider: 'google' })
  expect(requestedMappings.at(-1)).toEqual({ key: 'terraform', provider: '' })
})
