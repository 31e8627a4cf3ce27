import type { ErrorCode } from '../../../shared/errors/catalogue.ts'

/** A stored resource or state, whose fields a damage changes. */
interface Fields {
  [name: string]: unknown
}

interface ChangedResource extends Fields {
  urn: string
  type: string
  provider?: string
  id?: string
}

interface ChangedDeployment extends Fields {
  resources: ChangedResource[]
  manifest: Fields
  secrets_providers?: { type: string; state?: Fields }
}

/** A kind of damage to the bytes of a state, and the error of a command that reads it. */
export interface StateDamage {
  readonly what: string
  readonly damage: (text: string) => string | Uint8Array
  readonly code: ErrorCode
  readonly pattern: string | RegExp
}

/** The resource that most damages change. */
export const thingUrn = 'urn:pulumi:dev::golden::gold:index:Thing::a'

export function createSyntaxDamage(
  what: string,
  damage: StateDamage['damage'],
  pattern: string | RegExp,
): StateDamage {
  return { what, damage, code: 'STATE_INVALID', pattern }
}

export function createCompressionDamage(what: string, damage: (text: string) => Uint8Array) {
  return {
    what,
    damage,
    code: 'BACKEND_INVALID',
    pattern: 'cannot be decompressed',
    suffix: '.gz',
  } as const
}

export function createSecretDamage(
  what: string,
  pattern: string,
  damage: (text: string) => string,
): StateDamage {
  return { what, damage, code: 'SECRETS_MALFORMED', pattern }
}

export function createValueDamage(
  what: string,
  pattern: string | RegExp,
  damage: (text: string) => string,
): StateDamage {
  return { what, damage, code: 'VALUE_MALFORMED', pattern }
}

export function createEnvelopeDamage(
  what: string,
  fields: Fields,
  code: ErrorCode,
  pattern: string | RegExp,
): StateDamage {
  const damage = (text: string): string =>
    JSON.stringify({ ...(JSON.parse(text) as Fields), ...fields }, null, 1)
  return { what, damage, code, pattern }
}

/** A damage of the deployment in an export or in a checkpoint. */
export function createDeploymentDamage(
  what: string,
  code: ErrorCode,
  pattern: string | RegExp,
  change: (state: ChangedDeployment) => unknown,
): StateDamage {
  const damage = (text: string): string => {
    const json = JSON.parse(text) as {
      readonly deployment?: ChangedDeployment
      readonly checkpoint?: { readonly latest: ChangedDeployment }
    }
    const changed =
      json.checkpoint === undefined
        ? { ...json, deployment: change(json.deployment as ChangedDeployment) }
        : { ...json, checkpoint: { ...json.checkpoint, latest: change(json.checkpoint.latest) } }
    return JSON.stringify(changed, null, 1)
  }
  return { what, damage, code, pattern }
}

/** A damage of the fields of `thingUrn`. */
export function createResourceDamage(
  what: string,
  code: ErrorCode,
  pattern: string | RegExp,
  fields: Fields,
): StateDamage {
  return createDeploymentDamage(what, code, pattern, state => ({
    ...state,
    resources: state.resources.map(item => (item.urn === thingUrn ? { ...item, ...fields } : item)),
  }))
}

export function thingOf({ resources }: ChangedDeployment): ChangedResource | undefined {
  return resources.find(({ urn }) => urn === thingUrn)
}

export function withOpen(text: string, json: string): string {
  return text.replace('"open": 1', `"open": ${json}`)
}

/** Flips bits of the first byte of a part of a text. */
export function changeByte(text: string, part: string, bits: number): Uint8Array {
  const bytes = Buffer.from(text)
  const index = bytes.indexOf(part)
  bytes.writeUInt8(bytes.readUInt8(index) ^ bits, index)
  return bytes
}
