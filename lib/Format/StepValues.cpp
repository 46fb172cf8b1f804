#include "adze/Format/StepValues.h"

#include "StrictJson.h"
#include "adze/Support/Json.h"

namespace adze {

template <class V> void fields(V &v, StepValue &s) {
  v("name", s.name), v("layer", s.layer), v("word", s.word), v("output_rows", s.outputRows), v("columns", s.columns);
  v("element", s.element);
}
template <class V> void fields(V &v, StepValues &s) { v("launches", s.launches); }

int64_t stepElementBytes(std::string_view element) {
  return element == "f32" || element == "i32" ? 4 : element == "bf16" ? 2 : element == "i8" ? 1 : 0;
}

std::string writeStepValues(const StepValues &values) { return StrictWriter::record(values).dump() + "\n"; }

Expected<StepValues> readStepValues(std::string_view text, std::string_view fileName) {
  auto json = parseJson(text, fileName);
  if (!json)
    return json.status();
  StrictReader reader(fileName);
  StepValues values;
  reader.record(*json, "", values);
  for (size_t launch = 0; launch < values.launches.size(); ++launch)
    for (const StepValue &value : values.launches[launch]) {
      std::string key = "key 'launches[" + std::to_string(launch) + "]' has the value '" + value.name + "'";
      if (value.word < 0 || value.word > 1000 || value.columns < 1 || value.columns > (int64_t(1) << 40) ||
          value.layer < -1)
        reader.fail(key + " with a word, a layer or a number of columns out of range");
      if (stepElementBytes(value.element) == 0)
        reader.fail(key + " of the element '" + value.element + "'; f32, bf16, i8 and i32 are accepted");
    }
  if (!reader.status().ok())
    return reader.status();
  return values;
}

} // namespace adze
