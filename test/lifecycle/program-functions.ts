import { Server, ServerCredentials } from '@grpc/grpc-js'
import {
  type Callback,
  type CallbackInvokeRequest,
  CallbacksService,
} from '../../proto/gen/pulumi/callback.ts'
import {
  ErrorHookRequest,
  ErrorHookResponse,
  RegisterErrorHookRequest,
  RegisterResourceHookRequest,
  ResourceHookRequest,
  ResourceHookResponse,
  TransformInvokeRequest,
  TransformInvokeResponse,
  TransformRequest,
  TransformResponse,
} from '../../proto/gen/pulumi/resource.ts'
import type { Monitor } from './engine.ts'

/** Functions of a scripted program that the engine calls. */
export interface ProgramFunctions {
  readonly addTransform: (
    run: (
      request: TransformRequest,
    ) => Partial<TransformResponse> | Promise<Partial<TransformResponse>>,
  ) => Callback
  /** Adds a function that responds with the bytes of `run`. If `run` throws, the call fails. */
  readonly addRawFunction: (run: () => Uint8Array) => Callback
  readonly registerStackTransform: (callback: Callback) => Promise<void>
  readonly registerInvokeTransform: (
    run: (request: TransformInvokeRequest) => Partial<TransformInvokeResponse>,
  ) => Promise<void>
  /** Registers a hook by name. If `run` throws, the hook fails with that message. */
  readonly registerHook: (
    name: string,
    run: (request: ResourceHookRequest) => void | Promise<void>,
    options?: { readonly onDryRun?: boolean; readonly ignoreErrors?: boolean },
  ) => Promise<string>
  /** Registers an error hook. If `run` returns true, the hook requests a retry. */
  readonly registerErrorHook: (
    name: string,
    run: (request: ErrorHookRequest) => boolean,
  ) => Promise<string>
}

const openServers: Server[] = []

/** Closes the function servers of a test. */
export function closeProgramFunctions(): void {
  for (const server of openServers.splice(0)) server.forceShutdown()
}

/** Serves functions of a scripted program. */
export async function openProgramFunctions({
  client,
}: Pick<Monitor, 'client'>): Promise<ProgramFunctions> {
  const functionsByToken = new Map<string, (request: Uint8Array) => Promise<Uint8Array>>()
  const server = new Server()
  server.addService(CallbacksService, {
    invoke: (
      call: { request: CallbackInvokeRequest },
      reply: (failed: { code: number; details: string } | null, value?: object) => void,
    ) => {
      const { token, request } = call.request
      const programFunction = functionsByToken.get(token)
      Promise.resolve()
        .then(() => programFunction?.(request))
        .then(
          response => reply(null, { response: response ?? new Uint8Array() }),
          thrown => reply({ code: 2, details: String(thrown?.message ?? thrown) }),
        )
    },
  })
  openServers.push(server)
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (thrown, boundPort) =>
      thrown === null ? resolve(boundPort) : reject(thrown),
    ),
  )
  const addFunction = (work: (request: Uint8Array) => Promise<Uint8Array>): Callback => {
    const token = `f${functionsByToken.size}`
    functionsByToken.set(token, work)
    return { target: `127.0.0.1:${port}`, token, acceptsByteString: true }
  }
  const callMonitor = (call: (done: (failed: Error | null) => void) => unknown): Promise<void> =>
    new Promise((done, failed) => call(thrown => (thrown === null ? done() : failed(thrown))))
  const catchMessage = async (work: () => unknown): Promise<string> => {
    try {
      await work()
      return ''
    } catch (thrown) {
      return thrown instanceof Error ? thrown.message : String(thrown)
    }
  }
  return {
    addTransform: work =>
      addFunction(async bytes => {
        const answer = await work(TransformRequest.decode(bytes))
        return TransformResponse.encode(TransformResponse.create(answer)).finish()
      }),
    addRawFunction: work => addFunction(async () => work()),
    registerStackTransform: callback =>
      callMonitor(done => client.registerStackTransform(callback, done)),
    registerInvokeTransform: work => {
      const callback = addFunction(async bytes =>
        TransformInvokeResponse.encode(
          TransformInvokeResponse.create(work(TransformInvokeRequest.decode(bytes))),
        ).finish(),
      )
      return callMonitor(done => client.registerStackInvokeTransform(callback, done))
    },
    async registerHook(name, work, options = {}) {
      const callback = addFunction(async bytes => {
        const error = await catchMessage(() => work(ResourceHookRequest.decode(bytes)))
        return ResourceHookResponse.encode({ error }).finish()
      })
      const request = RegisterResourceHookRequest.create({ name, callback, ...options })
      await callMonitor(done => client.registerResourceHook(request, done))
      return name
    },
    async registerErrorHook(name, work) {
      const callback = addFunction(async bytes => {
        let retry = false
        const error = await catchMessage(() => {
          retry = work(ErrorHookRequest.decode(bytes))
        })
        return ErrorHookResponse.encode({ error, retry }).finish()
      })
      const request = RegisterErrorHookRequest.create({ name, callback })
      await callMonitor(done => client.registerErrorHook(request, done))
      return name
    },
  }
}

/** Returns the field `hooks` of a registration, with the names of its hooks by type. */
export function withHooks(
  names: Partial<
    Record<
      | 'beforeCreate'
      | 'afterCreate'
      | 'beforeUpdate'
      | 'afterUpdate'
      | 'beforeDelete'
      | 'afterDelete'
      | 'onError',
      string[]
    >
  >,
): object {
  const none = {
    beforeCreate: [],
    afterCreate: [],
    beforeUpdate: [],
    afterUpdate: [],
    beforeDelete: [],
    afterDelete: [],
    onError: [],
  }
  return { hooks: { ...none, ...names } }
}
