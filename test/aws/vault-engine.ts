import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { emulatorVaultToken } from '../../infra/emulators/emulators.ts'

/** A new transit engine of the Vault server at ANTICHAIN_VAULT_ENDPOINT. */
export interface VaultEngine {
  readonly address: string
  /** The URL of a key as a secrets provider. */
  readonly keyUrlOf: (key: string) => string
  /** Sends a request with the token of the emulator. Returns the response, if it has a body. */
  readonly call: (path: string, body: object) => Promise<unknown>
  /** Creates the engine with keys. */
  readonly createKeys: (...keys: readonly string[]) => Promise<void>
  /** Rotates a key. */
  readonly rotate: (key: string) => Promise<unknown>
}

/** Describes an engine with a name of its own. `createKeys` creates it. */
export function describeVaultEngine(): VaultEngine {
  const address = process.env['ANTICHAIN_VAULT_ENDPOINT'] ?? ''
  const engine = `transit-${randomUUID()}`
  const call: VaultEngine['call'] = async (path, body) => {
    const headers = { 'x-vault-token': emulatorVaultToken }
    const request = { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await fetch(`${address}/v1/${path}`, request)
    expect([path, response.ok]).toEqual([path, true])
    return response.status === 204 ? undefined : response.json()
  }
  return {
    address,
    keyUrlOf: key => `hashivault://${key}?engine=${engine}`,
    call,
    createKeys: async (...keys) => {
      await call(`sys/mounts/${engine}`, { type: 'transit' })
      for (const key of keys) await call(`${engine}/keys/${key}`, {})
    },
    rotate: key => call(`${engine}/keys/${key}/rotate`, {}),
  }
}
