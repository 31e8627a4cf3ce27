import type { EnginePort } from '../../local/engine-port.ts'
import { readLogin } from '../remote/saved-login.ts'
import type { Tools } from './tools.ts'

/** The opener of the engines of a session. Each engine is opened on demand, and once. */
export interface EngineOpener {
  /** Opens the API of the login. Without a login, opens the store of this machine. */
  readonly openEngine: () => Promise<EnginePort>
  /** Opens the store of this machine, even with a login. */
  readonly openLocalEngine: () => Promise<EnginePort>
  /** Closes the engines that were opened. */
  readonly close: () => Promise<void>
}

/** Creates the opener of a session's engines. `home`: the folder with the login and the store. */
export function createEngineOpener(
  { openLocal, openRemote }: Pick<Tools, 'openLocal' | 'openRemote'>,
  options: { readonly home: string; readonly verbose: boolean },
): EngineOpener {
  let localEngine: Promise<EnginePort> | undefined
  let remoteEngine: Promise<EnginePort> | undefined
  const openLocalEngine = (): Promise<EnginePort> => {
    localEngine ??= openLocal(options)
    return localEngine
  }
  return {
    openLocalEngine,
    openEngine() {
      const login = readLogin(options.home)
      if (login === undefined) return openLocalEngine()
      remoteEngine ??= openRemote(login)
      return remoteEngine
    },
    async close() {
      await (await remoteEngine)?.close()
      await (await localEngine)?.close()
    },
  }
}
