/** A value of a metric, with its labels. */
export interface Sample {
  readonly value: number
  readonly labels?: Readonly<Record<string, string>>
}

/** A metric with its samples. */
export interface Metric {
  readonly name: string
  readonly kind: 'gauge' | 'counter'
  readonly help: string
  readonly samples: readonly Sample[]
}

/** The content type of Prometheus' text format. */
export const prometheusContentType = 'text/plain; version=0.0.4; charset=utf-8'

/** Formats metrics as Prometheus' text format. */
export function formatPrometheus(metrics: readonly Metric[]): string {
  return metrics
    .map(({ name, kind, help, samples }) =>
      [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} ${kind}`,
        ...samples.map(({ labels = {}, value }) => `${name}${formatLabels(labels)} ${value}`),
        '',
      ].join('\n'),
    )
    .join('')
}

function formatLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, text]) => `${name}="${escapeLabel(text)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escapeLabel = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
