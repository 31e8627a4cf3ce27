import { parseJson } from '../../../values/parse-json.ts'
import { formatGoJson } from '../../../values/go-json.ts'
import type { PropertyMap } from '../../../values/value.ts'
import { stripSecrets } from '../../../values/special-values.ts'

/** The output of Pulumi's bridge with the schema version and the private data of a state. */
export const bridgeMetaKey = '__meta'

/** The schema version and the private data of a state. */
export interface BridgeMeta {
  readonly schemaVersion: number
  readonly privateData: Uint8Array
}

/**
 * Reads the output `__meta`. An absent or malformed part is read as schema version 0, or as empty
 * private data.
 */
export function readBridgeMeta(outputs: PropertyMap): BridgeMeta {
  const text = stripSecrets(outputs.get(bridgeMetaKey) ?? null)
  const json = typeof text === 'string' ? parseJson(text) : undefined
  const fields = new Map(
    typeof json === 'object' && json !== null && !Array.isArray(json) ? Object.entries(json) : [],
  )
  const version: unknown = fields.get('schema_version')
  const privateText: unknown = fields.get('private_state')
  return {
    schemaVersion: typeof version === 'string' && /^\d{1,15}$/.test(version) ? Number(version) : 0,
    privateData: Buffer.from(typeof privateText === 'string' ? privateText : '', 'base64'),
  }
}

/**
 * Returns the output `__meta` as Pulumi's bridge writes it, or undefined if it would be empty. The
 * text is not secret, because the bridge reads plain text only.
 */
export function formatBridgeMeta({ schemaVersion, privateData }: BridgeMeta): string | undefined {
  const fields = {
    ...(privateData.length > 0 && { private_state: Buffer.from(privateData).toString('base64') }),
    ...(schemaVersion !== 0 && { schema_version: String(schemaVersion) }),
  }
  return Object.keys(fields).length === 0 ? undefined : formatGoJson(fields)
}
