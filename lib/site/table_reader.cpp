// SPDX-License-Identifier: Apache-2.0
#include "site/table_reader.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace railgauge::site {
namespace {

constexpr std::string_view documentation = "see docs/site-file.md";

std::string_view type_name(const toml::node& node) {
    switch (node.type()) {
        case toml::node_type::table: return "a table";
        case toml::node_type::array: return "a list";
        case toml::node_type::string: return "a text";
        case toml::node_type::integer: return "a whole number";
        case toml::node_type::floating_point: return "a number with a fraction";
        case toml::node_type::boolean: return "true or false";
        default: return "a date or time";
    }
}

std::uint32_t line_of(const toml::source_region& source, std::uint32_t otherwise) {
    return source.begin.line > 0 ? source.begin.line : otherwise;
}

Place element_place(const Place& list, std::size_t index, const toml::node& element) {
    return {line_of(element.source(), list.line), fmt::format("{}[{}]", list.key, index)};
}

}  // namespace

TableReader::TableReader(const toml::table& table, Place place, std::string_view kind,
                         Mistakes& mistakes)
    : table_(&table), place_(std::move(place)), kind_(kind), mistakes_(&mistakes) {}

Place TableReader::place(std::string_view key) const {
    const toml::node* node = table_->get(key);
    const std::string path =
        place_.key.empty() ? std::string(key) : fmt::format("{}.{}", place_.key, key);
    return {node == nullptr ? place_.line : line_of(node->source(), place_.line), path};
}

std::string TableReader::text(std::string_view key, Need need, Rule rule) {
    const toml::node* node = find(key, need);
    if (node == nullptr) return "";
    const auto value = node->value_exact<std::string>();
    if (!value) {
        report_type(place(key), *node, "a text in quotes");
        return "";
    }
    const std::string why = rule(*value);
    if (why.empty()) return *value;
    mistakes_->add(place(key), fmt::format("{} is no right name", quoted(*value)), why,
                   fmt::format("correct it, {}", documentation));
    return "";
}

std::optional<int> TableReader::integer(std::string_view key, Need need, int least, int most) {
    const toml::node* node = find(key, need);
    if (node == nullptr) return std::nullopt;
    const auto value = node->value_exact<std::int64_t>();
    if (!value) {
        report_type(place(key), *node, "a whole number");
        return std::nullopt;
    }
    if (*value >= least && *value <= most) return static_cast<int>(*value);
    mistakes_->add(place(key), fmt::format("{} is out of range", *value),
                   fmt::format("{} to {} are possible", least, most),
                   fmt::format("correct it, {}", documentation));
    return std::nullopt;
}

std::optional<double> TableReader::number(std::string_view key, Need need, double above,
                                          double most, std::string_view unit) {
    const toml::node* node = find(key, need);
    if (node == nullptr) return std::nullopt;
    if (!node->is_number()) {
        report_type(place(key), *node, "a number");
        return std::nullopt;
    }
    const double value = *node->value<double>();
    if (value > above && value <= most) return value;  // false for NaN, too
    mistakes_->add(place(key), fmt::format("{:g} is out of range", value),
                   fmt::format("above {:g} and up to {:g} {} are possible", above, most, unit),
                   fmt::format("give it in {}", unit));
    return std::nullopt;
}

std::vector<Located<std::string>> TableReader::texts(std::string_view key, Need need) {
    const toml::array* elements = list(key, need, "a list of texts in quotes");
    std::vector<Located<std::string>> values;
    if (elements == nullptr) return values;
    const Place where = place(key);
    for (std::size_t i = 0; i < elements->size(); ++i) {
        const toml::node& element = *elements->get(i);
        const Place here = element_place(where, i, element);
        const auto value = element.value_exact<std::string>();
        if (value) {
            values.push_back({*value, here});
        } else {
            report_type(here, element, "a text in quotes");
        }
    }
    return values;
}

std::vector<Located<int>> TableReader::integers(std::string_view key, Need need) {
    const toml::array* elements = list(key, need, "a list of whole numbers");
    std::vector<Located<int>> values;
    if (elements == nullptr) return values;
    const Place where = place(key);
    for (std::size_t i = 0; i < elements->size(); ++i) {
        const toml::node& element = *elements->get(i);
        const Place here = element_place(where, i, element);
        const auto value = element.value_exact<std::int64_t>();
        if (value && std::in_range<int>(*value)) {
            values.push_back({static_cast<int>(*value), here});
        } else {
            report_type(here, element, "a whole number of at most 32 bits");
        }
    }
    return values;
}

std::vector<TableReader> TableReader::tables(std::string_view key, Need need,
                                             std::string_view kind) {
    const toml::array* elements = list(key, need, fmt::format("a list of tables, [[{}]]", key));
    std::vector<TableReader> readers;
    if (elements == nullptr) return readers;
    const Place where = place(key);
    for (std::size_t i = 0; i < elements->size(); ++i) {
        const toml::node& element = *elements->get(i);
        const Place here = element_place(where, i, element);
        if (const toml::table* table = element.as_table()) {
            readers.emplace_back(*table, here, kind, *mistakes_);
        } else {
            report_type(here, element, "a table");
        }
    }
    return readers;
}

void TableReader::finish() {
    for (const auto& [key, node] : *table_) {
        const std::string name(key.str());
        if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
        const std::string meant = nearest(name, known_);
        const Place where{line_of(key.source(), place_.line), place_.key};
        mistakes_->add(where, fmt::format("unknown key {}", quoted(name)),
                       fmt::format("{} has {}", kind_, listed(known_)),
                       meant.empty() ? fmt::format("remove it, {}", documentation)
                                     : fmt::format("did you mean {}?", quoted(meant)));
    }
}

const toml::node* TableReader::find(std::string_view key, Need need) {
    known_.emplace_back(key);
    const toml::node* node = table_->get(key);
    if (node == nullptr && need == Need::required) {
        mistakes_->add(place(key), "it is missing", fmt::format("{} needs it", kind_),
                       fmt::format("add it, {}", documentation));
    }
    return node;
}

const toml::array* TableReader::list(std::string_view key, Need need, std::string_view expected) {
    const toml::node* node = find(key, need);
    if (node == nullptr) return nullptr;
    const toml::array* elements = node->as_array();
    if (elements == nullptr) {
        report_type(place(key), *node, expected);
    } else if (elements->empty()) {
        mistakes_->add(
            place(key), "the list is empty", "it says nothing",
            need == Need::required ? "list at least one" : "remove it or list at least one");
    }
    return elements;
}

void TableReader::report_type(const Place& where, const toml::node& node,
                              std::string_view expected) {
    mistakes_->add(where, fmt::format("it is {}", type_name(node)),
                   fmt::format("it must be {}", expected),
                   fmt::format("correct it, {}", documentation));
}

}  // namespace railgauge::site
