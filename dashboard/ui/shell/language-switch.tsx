import { NativeSelect } from '@mantine/core'
import { LANGUAGES, LANGUAGE_NAMES } from '../../../locales/text.ts'
import { useTexts } from '../../texts/use-texts.ts'

export function LanguageSwitch() {
  const { t, language, choose } = useTexts()
  return (
    <NativeSelect
      aria-label={t('page_shell.language')}
      variant="unstyled"
      w={96}
      value={language}
      data={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
      onChange={({ currentTarget }) => {
        const chosen = LANGUAGES.find((each) => each === currentTarget.value)
        if (chosen) void choose(chosen)
      }}
    />
  )
}
