// SPDX-License-Identifier: Apache-2.0
#include "tests/peers/conform/Recording.h"

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace tigon::conform {
namespace {

using Json = nlohmann::json;

uint64_t readInteger(const Json &value) {
  if (value.is_boolean())
    return value.get<bool>();
  return value.is_number_unsigned() ? value.get<uint64_t>() : uint64_t(value.get<int64_t>());
}

RecordedTensor readTensor(const Json &json) {
  RecordedTensor tensor;
  tensor.dtype = json.at("dtype");
  tensor.address = tensor.first = json.at("address");
  if (!json.contains("storage"))
    return tensor;
  tensor.first = json.at("first");
  tensor.shape = json.at("shape").get<std::vector<int64_t>>();
  tensor.strides = json.at("strides").get<std::vector<int64_t>>();
  tensor.storage = {json.at("storage").at(0), json.at("storage").at(1)};
  if (auto range = json.find("range"); range != json.end() && range->is_array())
    tensor.range = {range->at(0), range->at(1)};
  if (auto values = json.find("values"); values != json.end())
    for (const Json &value : *values)
      tensor.values.push_back(readInteger(value));
  return tensor;
}

RecordedArgument readArgument(const Json &json) {
  using Kind = RecordedArgument::Kind;
  RecordedArgument argument;
  argument.name = json.at("name");
  if (json.contains("tensor")) {
    argument.kind = Kind::Tensor;
    argument.tensor = readTensor(json.at("tensor"));
    return argument;
  }
  if (json.contains("descriptor")) {
    const Json &descriptor = json.at("descriptor");
    argument.kind = Kind::Descriptor;
    argument.tensor = readTensor(descriptor.at("base"));
    argument.shape = descriptor.at("shape").get<std::vector<int64_t>>();
    argument.strides = descriptor.at("strides").get<std::vector<int64_t>>();
    return argument;
  }
  const Json &value = json.at("value");
  if (value.is_number_integer() || value.is_boolean()) {
    argument.kind = Kind::Integer;
    argument.integer = readInteger(value);
    argument.real =
        value.is_number_unsigned() ? double(argument.integer) : double(int64_t(argument.integer));
  } else if (value.is_number_float()) {
    argument.kind = Kind::Float;
    argument.real = value;
  } else if (value == "nan" || value == "inf" || value == "-inf") {
    argument.kind = Kind::Float;
    argument.real = value == "nan" ? NAN : value == "inf" ? INFINITY : -INFINITY;
  }
  return argument;
}

RecordedLaunch readLaunch(const Json &json) {
  RecordedLaunch launch;
  launch.kernel = json.at("name");
  launch.options = json.value("options", Json::object()).dump();
  for (int axis = 0; axis < 3; ++axis)
    launch.grid[axis] = json.at("grid").at(axis);
  for (const Json &argument : json.at("args"))
    launch.arguments.push_back(readArgument(argument));
  return launch;
}

/// Launches of a text that differ in no more than where things lay in memory say the same.
std::string describeLaunch(const Json &json) {
  Json likeness = {json.at("grid"), json.at("args")};
  for (Json &argument : likeness.at(1))
    for (const char *part : {"tensor", "descriptor"})
      if (auto tensor = argument.find(part); tensor != argument.end()) {
        Json &facts = tensor->contains("base") ? tensor->at("base") : *tensor;
        for (const char *place : {"address", "first", "storage", "values", "range"})
          facts.erase(place);
      }
  return likeness.dump();
}

} // namespace

Result<std::vector<Case>> readRecording(const std::string &folder,
                                        std::vector<std::string> &complaints) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::set<std::string> texts, records;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::string path = fs::relative(it->path(), folder).string();
    if (it->path().extension() == ".ttir")
      texts.insert(path);
    else if (it->path().extension() == ".json" &&
             it->path().filename().string().starts_with("launches"))
      records.insert(path);
  }
  if (error)
    return fail(ErrorCode::Unavailable,
                fmt::format("cannot read the folder '{}': {}", folder, error.message()));

  std::map<std::string, std::vector<RecordedLaunch>> launches;
  std::set<std::pair<std::string, std::string>> seen;
  for (const std::string &record : records) {
    std::ifstream stream(fs::path(folder) / record);
    Json json = Json::parse(stream, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object() || !json.contains("kernels")) {
      complaints.push_back(fmt::format("{}/{}: found no record of launches", folder, record));
      continue;
    }
    for (const Json &kernel : json["kernels"]) {
      std::string text = "?";
      try {
        text = (fs::path(record).parent_path() / kernel.at("ttir").get<std::string>()).string();
        if (seen.insert({text, describeLaunch(kernel)}).second)
          launches[text].push_back(readLaunch(kernel));
      } catch (const Json::exception &exception) {
        complaints.push_back(fmt::format("{}/{}: {}: {}", folder, record, text, exception.what()));
      }
    }
  }
  std::vector<Case> cases;
  for (const std::string &text : texts) {
    for (RecordedLaunch &launch : launches[text])
      cases.push_back({folder, text, std::move(launch)});
    if (launches[text].empty())
      cases.push_back({folder, text, std::nullopt});
  }
  return cases;
}

} // namespace tigon::conform
