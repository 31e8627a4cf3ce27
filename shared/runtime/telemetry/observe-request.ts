import type { TelemetryAttributes, TelemetryPort } from '../../ports/telemetry.ts'

/** The answer to a request. `route` is a template, so that it contains no names and no tokens. */
export interface ObservedAnswer {
  readonly route: string
  readonly status: number
}

/**
 * Answers a request, and records its span and its duration. The answer runs within the span. The
 * span never joins the trace that the caller names, because the caller may be a stranger. The
 * span's parent is the one that TRACEPARENT of this process names, if any. A request whose `answer`
 * throws is not recorded. The attributes are those of OpenTelemetry for HTTP servers.
 */
export async function observeRequest<T>(
  telemetry: TelemetryPort,
  method: string,
  answer: () => Promise<{ readonly result: T; readonly answered: ObservedAnswer }>,
): Promise<T> {
  const trace = telemetry.startTrace()
  if (trace === undefined) return (await answer()).result
  const { traceId, isSampled, parent } = trace
  const context = { traceId, isSampled, spanId: telemetry.createSpanId() }
  const startMs = Date.now()
  const { result, answered } = await telemetry.runWithin(context, answer)
  const { route, status } = answered
  const attributes: TelemetryAttributes = {
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
  }
  const endMs = Date.now()
  telemetry.recordSpan({
    name: `${method} ${route}`,
    kind: 'server',
    context,
    parent,
    startMs,
    endMs,
    attributes,
    events: [],
    hasFailed: status >= 500,
  })
  telemetry.recordDuration('http.server.request.duration', (endMs - startMs) / 1_000, attributes)
  return result
}
