import { type ReceivedSpan, attributesOf } from '../../test/world/collector.ts'

/** The spans of the latest trace that begins with this request, in the order of their starts. */
export function latestTrace(spans: readonly ReceivedSpan[], request: string): ReceivedSpan[] {
  const first = spans.findLast(({ name }) => name === request)
  return spans
    .filter(({ traceId }) => traceId === first?.traceId)
    .sort((one, other) => (one.startTimeUnixNano < other.startTimeUnixNano ? -1 : 1))
}

/** So that a span of a few milliseconds among minutes can be seen. */
const MIN_BAR_PERCENT = 0.6

/** A page with a bar for each span of one trace, on one axis of time. */
export function pageOfTrace(spans: readonly ReceivedSpan[]): string {
  /** Milliseconds, to the microsecond. */
  const at = (nanoseconds: string): number => Number(BigInt(nanoseconds) / 1_000n) / 1_000
  const begin = Math.min(...spans.map(({ startTimeUnixNano }) => at(startTimeUnixNano)))
  const end = Math.max(...spans.map(({ endTimeUnixNano }) => at(endTimeUnixNano)))
  const percent = (ms: number): number => (ms / (end - begin)) * 100
  const rows = spans.map((span) => {
    const { name, startTimeUnixNano, endTimeUnixNano } = span
    const [start, took] = [at(startTimeUnixNano) - begin, at(endTimeUnixNano) - at(startTimeUnixNano)]
    const width = Math.max(MIN_BAR_PERCENT, percent(took))
    const left = Math.min(percent(start), 100 - width)
    return `<tr class="${name.split(' ')[0]?.toLowerCase()}"><td>${name}</td><td>${outcomeOf(span)}</td><td class="n">+${timeText(start)}</td><td class="n">${timeText(took)}</td>
<td class="axis"><i style="margin-inline-start:${left.toFixed(2)}%;width:${width.toFixed(2)}%"></i></td></tr>`
  })
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<style>
body { font: 14px/1.5 system-ui, sans-serif; margin: 0; padding: 24px; color: #212529; width: 1080px }
table { border-collapse: collapse; width: 100% }
th, td { text-align: start; padding: 5px 12px 5px 0; white-space: nowrap; border-bottom: 1px solid #e9ecef }
th { font-weight: 500; color: #495057 }
.n { text-align: end; font-variant-numeric: tabular-nums }
.axis { width: 45%; background: linear-gradient(to right, #f1f3f5 1px, transparent 1px) 0 0 / 25% 100% }
i { display: block; height: 12px; border-radius: 3px; background: #4263eb }
.attempt i { background: #0ca678 } .report i { background: #f08c00 } .delivery i { background: #ae3ec9 }
</style>
<table><thead><tr><th>Span</th><th>Outcome</th><th class="n">Start</th><th class="n">Took</th><th>${timeText(end - begin)} in all</th></tr></thead>
${rows.join('\n')}
</table>
</html>
`
}

const OUTCOMES = ['doorcode.report', 'doorcode.outcome', 'http.response.status_code']

function outcomeOf(span: ReceivedSpan): string {
  const attributes = attributesOf(span)
  return OUTCOMES.flatMap((name) => attributes[name] ?? []).join(' · ')
}

const timeText = (ms: number): string => (ms < 1_000 ? `${ms.toFixed(1)} ms` : `${(ms / 1_000).toFixed(2)} s`)
