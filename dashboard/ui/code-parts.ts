/** What a part of a program is; `plain` for all that needs no colour. */
export type CodePart = { kind: 'comment' | 'text' | 'keyword' | 'plain'; text: string }

const COMMENT = /#[^\n]*|\/\/[^\n]*/
const TEXT = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`/
const KEYWORD =
  /\b(?:as|async|await|class|const|curl|def|echo|else|except|export|false|for|from|function|if|import|in|let|new|not|null|None|print|raise|return|throw|true|try|use|while|with|False|True)\b/
const PARTS = new RegExp(`(${COMMENT.source})|(${TEXT.source})|(${KEYWORD.source})`, 'g')

/** Splits an example in any of our languages: curl, JavaScript, PHP, Python, JSON. A longer language needs a library. */
export function partsOfCode(code: string): CodePart[] {
  const parts: CodePart[] = []
  let end = 0
  for (const match of code.matchAll(PARTS)) {
    const [text, comment, quoted] = match
    if (match.index > end) parts.push({ kind: 'plain', text: code.slice(end, match.index) })
    parts.push({ kind: comment !== undefined ? 'comment' : quoted !== undefined ? 'text' : 'keyword', text })
    end = match.index + text.length
  }
  if (end < code.length) parts.push({ kind: 'plain', text: code.slice(end) })
  return parts
}
