import type { EnginePort } from '../../local/engine-port.ts'
import { cacheFolderOf } from '../backends/current-backend.ts'
import { readLogin } from '../remote/saved-login.ts'
import type { Tools } from './tools.ts'

/** The opener of the engines of a session. Each engine is opened on demand, and once. */
export interface EngineOpener {
  /** Reports whether `openEngine` opens the API of the login. */
  readonly usesApi: () => boolean
  /**
   * Opens the self-managed backend in use, or else the API of the login. Without both, opens the
   * store of this machine.
   */
  readonly openEngine: () => Promise<EnginePort>
  /** Opens the store of this machine, even with a login. */
  readonly openLocalEngine: () => Promise<EnginePort>
  /** Closes the engines that were opened. */
  readonly close: () => Promise<void>
}

interface EngineOpenerOptions {
  readonly home: string
  readonly verbose: boolean
  readonly cwd: string
  readonly readBackend: () => string | undefined
  /** The group of stacks that ANTICHAIN_GROUP names. Commands use the documents of this group. */
  readonly group: string | undefined
}

/**
 * Creates the opener of a session's engines. `home`: the folder with the login and the store.
 * `readBackend` returns the address of the self-managed backend in use, if any.
 */
export function createEngineOpener(
  { openLocal, openRemote }: Pick<Tools, 'openLocal' | 'openRemote'>,
  { readBackend, cwd, group, ...options }: EngineOpenerOptions,
): EngineOpener {
  let localEngine: Promise<EnginePort> | undefined
  let engine: Promise<EnginePort> | undefined
  const openLocalEngine = (): Promise<EnginePort> => {
    localEngine ??= openLocal(options)
    return localEngine
  }
  const chooseEngine = (): Promise<EnginePort> => {
    const address = readBackend()
    if (address !== undefined) {
      const home = cacheFolderOf(options.home, address, cwd)
      return openLocal({ ...options, home, backend: { address, cwd } })
    }
    const login = readLogin(options.home)
    return login === undefined ? openLocalEngine() : openRemote({ ...login, group })
  }
  return {
    usesApi: () => readBackend() === undefined && readLogin(options.home) !== undefined,
    openLocalEngine,
    openEngine() {
      engine ??= chooseEngine()
      return engine
    },
    async close() {
      if (engine !== localEngine) await (await engine)?.close()
      await (await localEngine)?.close()
    },
  }
}
