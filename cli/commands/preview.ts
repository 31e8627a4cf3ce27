import { isTruthy } from '../../shared/config/truthy.ts'
import { error } from '../../shared/errors/error.ts'
import type { Handler } from '../attach.ts'
import { runOperation } from '../operation.ts'

/**
 * `preview`: shows what `up` would do. With --json it prints events where
 * PULUMI_ENABLE_STREAMING_JSON_PREVIEW is true. Throws FEATURE_MISSING for Pulumi's digest.
 */
export const preview: Handler = async (session, flags) => {
  if (flags.is('json') && !isTruthy(session.io.env['PULUMI_ENABLE_STREAMING_JSON_PREVIEW']))
    throw error('FEATURE_MISSING', 'the digest of `preview --json` is not supported yet', {
      hint: 'Set PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true to get engine events, one a line.',
    })
  return runOperation(session, flags, { command: 'up', previewOnly: true })
}
