import { awsPlaces } from '../../shared/platform/aws/places.ts'
import { awsSettings } from '../../shared/platform/aws/clients.ts'
import { createApiPlatform } from '../../shared/platform/aws/platform.ts'
import { createLog } from '../../shared/platform/system/log.ts'
import type { ApiPorts } from '../api/route.ts'
import { addressRules } from './address-rules.ts'

/**
 * What the API of an installation works with. It has no credentials of deployments and no key that
 * opens secrets of stacks. Throws AWS_SETTINGS_INVALID.
 */
export function openApi(env: Readonly<Record<string, string | undefined>>): ApiPorts {
  const log = createLog({ level: 'info', write: line => void process.stdout.write(line) })
  const platform = createApiPlatform({ settings: awsSettings(env), places: awsPlaces(env), log })
  return { ...platform, execute: 'functions', addresses: addressRules(env) }
}
